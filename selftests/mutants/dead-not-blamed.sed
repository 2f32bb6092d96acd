# SPDX-License-Identifier: GPL-2.0-only
# file: death.c
# kernel: stock
# tests: oops
# breaks: The fault handler is not told of a death.
/^static void kpool_bury_worker/,/^}/s/if (kpool_may_tell(run, KPOOL_TOLD_HANDLER))/if (0)/
