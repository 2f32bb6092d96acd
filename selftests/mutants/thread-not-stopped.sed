# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# kernel: uml
# tests: lifetime regress
# breaks: destroy returns while threads are left.
/^static void kpool_stop_thread/,/^}/s/kthread_stop(worker->task);/;/
