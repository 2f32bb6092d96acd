# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: uml-debug
# tests: tune
# breaks: A worker leaves the list while somebody reads it.
/^static void kpool_reap/,/^}/{
/mutex_lock/d
/mutex_unlock/d
}
