# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: uml-time
# tests: time
# breaks: An item takes the worker that has been idle for longest.
/^static bool kpool_rest/,/^}/s/list_add(&worker->node, &pool->idle);/list_add_tail(\&worker->node, \&pool->idle);/
