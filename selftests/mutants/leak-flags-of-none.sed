# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: uml-time
# tests: report
# breaks: Flags that worker_init has set are blamed on the items, and cleared.
/kpool_task_state_save(&worker->before);/d
