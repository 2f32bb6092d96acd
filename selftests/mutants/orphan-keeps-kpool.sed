# SPDX-License-Identifier: GPL-2.0-only
# file: kpool.c
# kernel: uml-time
# tests: lifetime
# breaks: A pool whose module has gone keeps kpool.ko loaded.
/^void kpool_orphan/,/^}/s/module_put(THIS_MODULE);/;/
