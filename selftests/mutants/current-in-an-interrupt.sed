# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: uml-time
# tests: edges
# breaks: An interrupt of a worker is taken for the worker by kpool_current().
/^struct kpool \*kpool_current/,/^}/s/kpool_current_worker()/kthread_func(current) == kpool_worker_main ?\n\t\tkthread_data(current) : NULL/
