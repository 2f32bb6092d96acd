# SPDX-License-Identifier: GPL-2.0-only
# file: leak.c
# kernel: uml-time
# tests: report
# breaks: Allocation flags that an item leaves are reported and stay.
/current->flags ^= changed;/d
