# SPDX-License-Identifier: GPL-2.0-only
# file: death.c
# kernel: uml-time
# tests: callback
# breaks: What killed a thread that told it of a death is called again for that death.
/^static bool kpool_may_tell/,/^}/s/^\trun->told = whom;/\t;/
