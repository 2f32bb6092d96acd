# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: uml-debug
# tests: tune
# breaks: A task that has ended is used.
/^static void kpool_start_worker/,/^}/{
s/worker->task = get_task_struct(task);/worker->task = task;/
s/^\t\tput_task_struct(task);/\t\t;/
}
/^static void kpool_reap/,/^}/s/put_task_struct(worker->task);/;/
