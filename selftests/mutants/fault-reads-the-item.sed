# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: uml
# tests: fault
# breaks: An item that may have been freed is read after its function.
s/kpool_report_error(pool, worker->fn, item/kpool_report_error(pool, item->fn, item/
