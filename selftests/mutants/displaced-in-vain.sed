# SPDX-License-Identifier: GPL-2.0-only
# file: overflow.c
# kernel: uml
# tests: together
# breaks: An item is dropped, and the newcomer waits beyond the queue's depth.
s/kpool_units(pool, stuck) <= units/true/
