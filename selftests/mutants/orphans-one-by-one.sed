# SPDX-License-Identifier: GPL-2.0-only
# file: forgotten.c
# kernel: uml
# tests: lifetime
# breaks: Of two forgotten pools, the second goes on until the first has ended.
/^static bool kpool_close_orphans/,/^}/s/while ((pool = /if ((pool = /
