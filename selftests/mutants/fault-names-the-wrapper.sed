# SPDX-License-Identifier: GPL-2.0-only
# file: call.c
# kernel: uml
# tests: fault
# breaks: The fault handler is told of a function that nobody knows.
/^static struct kpool_worker \*kpool_show_fn/,/^}/s/WRITE_ONCE(worker->fn, fn);//
