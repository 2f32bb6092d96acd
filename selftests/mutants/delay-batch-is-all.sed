# SPDX-License-Identifier: GPL-2.0-only
# file: delay.c
# kernel: uml
# tests: delay
# breaks: Of many jobs due at once all but the first batch are forgotten.
/^static bool kpool_delay_batch/,/^}/s/return true;/return false;/
