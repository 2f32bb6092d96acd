# SPDX-License-Identifier: GPL-2.0-only
# file: delay.c
# kernel: uml
# tests: delay
# breaks: A delay that is too long for the clock is over at once.
s/min(delay, MAX_JIFFY_OFFSET - 1) + 1/delay + 1/
