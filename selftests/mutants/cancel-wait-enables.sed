# SPDX-License-Identifier: GPL-2.0-only
# file: item.c
# kernel: uml-time
# tests: item
# breaks: An item disabled as often as can be is enabled once by a refused cancel.
/^int kpool_cancel_wait/,/^}/s/err != -ERANGE/err != -EINVAL/
