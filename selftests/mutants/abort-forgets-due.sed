# SPDX-License-Identifier: GPL-2.0-only
# file: drop.c
# kernel: uml
# tests: rerun delay
# breaks: Those accepted without room outlive an abort.
/^struct kpool_item \*kpool_any_accepted/,/^}/s/(list_empty(&pool->submitters) ?/(0 ?/
