# SPDX-License-Identifier: GPL-2.0-only
# file: submit.c
# kernel: uml
# tests: delay
# breaks: A job that is due overtakes submitters that sleep.
/^void kpool_accept_due/,/^}/s/list_add_tail(&item->node/list_add(\&item->node/
