# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# kernel: uml-debug
# tests: tune
# breaks: A worker leaves the list while somebody reads it.
/^static void kpool_stop_thread/,/^}/{
s/mutex_lock(&pool->mutex);/(void)pool;/
/mutex_unlock/d
}
