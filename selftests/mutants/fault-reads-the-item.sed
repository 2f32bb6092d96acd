# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: uml
# tests: fault
# breaks: An item that may have been freed is read after its function.
/^static noinline void kpool_failed(/,/^}/s/= worker->fn,/= item->fn,/
