# SPDX-License-Identifier: GPL-2.0-only
# file: drop.c
# kernel: uml
# tests: together
# breaks: An item doomed while it runs leaves a place that nobody gets.
/^void kpool_drop_work/,/^}/s/kpool_admit_blocked(pool);/;/
