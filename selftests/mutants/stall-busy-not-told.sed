# SPDX-License-Identifier: GPL-2.0-only
# file: stall.c
# kernel: uml
# tests: stall
# breaks: An item that does not sleep is never told of.
/^static bool kpool_is_new_stall/,/^}/s/return worker->state == KPOOL_RUNNING &&/return worker->state == KPOOL_RUNNING && !task_is_running(worker->task) &&/
