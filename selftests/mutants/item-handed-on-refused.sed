# SPDX-License-Identifier: GPL-2.0-only
# file: submit.c
# kernel: uml-time
# tests: edges
# breaks: An item cannot hand itself to another pool.
s/kpool_run_of(item) && !kpool_hands_itself_on(old, item)/kpool_run_of(item)/
