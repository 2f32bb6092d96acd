# SPDX-License-Identifier: GPL-2.0-only
# file: kpool.c
# kernel: uml
# tests: lifetime
# breaks: The pool of a removed module goes on.
/^static int kpool_module_event/,/^}/s/kpool_abort(pool);/;/
