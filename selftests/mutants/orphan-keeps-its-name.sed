# SPDX-License-Identifier: GPL-2.0-only
# file: kpool.c
# kernel: uml-time
# tests: lifetime
# breaks: A pool whose module has gone keeps its name and its files.
/^void kpool_orphan/,/^}/{
/kpool_unregister(pool);/d
/list_add_tail/d
}
