# SPDX-License-Identifier: GPL-2.0-only
# file: drop.c
# kernel: uml
# tests: group
# breaks: A member that is dropped leaves a place that nobody gets while its owner is told.
/^static void kpool_drop(/,/^}/s/kpool_admit_blocked(pool);/;/
