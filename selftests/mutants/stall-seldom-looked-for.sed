# SPDX-License-Identifier: GPL-2.0-only
# file: watch.c
# kernel: uml-time
# tests: stall
# breaks: A stall is noticed a whole stall time late.
s/clamp_t(unsigned long, stall \/ 8,/clamp_t(unsigned long, stall,/
