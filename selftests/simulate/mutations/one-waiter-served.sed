# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# breaks: Of several who wait for the same, only the first is woken.
/^void kpool_serve_all/,/^}/s/^\t\tkpool_serve(pool, waiter, result);/&\n\t\tbreak;/
