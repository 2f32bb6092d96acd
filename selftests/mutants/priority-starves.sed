# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: uml
# tests: priority
# breaks: Low items wait for ever behind others.
s/lower && kpool_is_bypass_over(pool)/0/
