# SPDX-License-Identifier: GPL-2.0-only
# file: forgotten.c
# kernel: uml
# tests: lifetime
# breaks: The pool of a removed module goes on.
/^static bool kpool_close_orphans/,/^}/s/kpool_close(pool, true);/;/
