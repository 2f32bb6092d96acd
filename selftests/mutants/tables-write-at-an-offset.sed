# SPDX-License-Identifier: GPL-2.0-only
# file: debugfs.c
# kernel: uml-time
# tests: attrs
# breaks: A second piece of a value is taken for a value.
s/count >= PAGE_SIZE || \*pos/count >= PAGE_SIZE/
