# SPDX-License-Identifier: GPL-2.0-only
# file: annotate.c
# kernel: uml-debug
# tests: debugobjects
# breaks: Garbage is taken for an item with a static initialiser.
/^static bool kpool_is_static/,/^}/{
s/return item->fn && .*/return item->fn;/
/!item->worker/d
}
