# SPDX-License-Identifier: GPL-2.0-only
# file: attrs.c
# kernel: uml
# tests: fail
# breaks: A pool that promises progress is made without a worker.
/KPOOL_MEM_RECLAIM) {/,/}/s/|= KPOOL_PREALLOC/|= 0/
