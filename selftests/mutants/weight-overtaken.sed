# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: uml
# tests: weight
# breaks: What a heavy item in line leaves free is room for a newcomer.
/^full:/,/^}/s/\*left = 0;/;/
