# SPDX-License-Identifier: GPL-2.0-only
# file: call.c
# kernel: uml
# tests: call
# breaks: The function of a caller that has given up still runs.
/^static int kpool_call_settle/,/^}/s/if (kpool_do_cancel(pool, item))/if (0)/
