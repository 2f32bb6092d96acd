# SPDX-License-Identifier: GPL-2.0-only
# file: kpool.c
# kernel: uml
# tests: lifetime
# breaks: kpool.ko goes away under a pool.
s/__module_get(THIS_MODULE);//
s/module_put(THIS_MODULE);/;/
