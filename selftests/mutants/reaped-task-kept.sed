# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# kernel: uml
# tests: soak
# breaks: The memory of a reaped worker's task is never given back.
/^static void kpool_stop_thread/,/^}/s/put_task_struct(worker->task);/;/
