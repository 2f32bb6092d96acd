# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: uml
# tests: weight
# breaks: What a heavy item in line leaves free is room for a newcomer.
/^static unsigned int kpool_nr_startable/,/^}/s/\*left = 0;/;/
