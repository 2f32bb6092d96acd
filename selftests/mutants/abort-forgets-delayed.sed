# SPDX-License-Identifier: GPL-2.0-only
# file: drop.c
# kernel: uml
# tests: delay
# breaks: Those delayed outlive an abort.
/^struct kpool_item \*kpool_any_accepted/,/^}/s/kpool_first_delayed(pool);/NULL;/
