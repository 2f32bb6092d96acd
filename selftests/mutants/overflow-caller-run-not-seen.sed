# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: uml
# tests: overflow
# breaks: A worker starts an item that its submitter runs.
/^struct kpool_item \*kpool_next_eligible/,/^}/s/kpool_outside_run_of(pool, item)) {/0) {/
