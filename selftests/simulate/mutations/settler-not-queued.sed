# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# breaks: What is left over when the lock is dropped waits until somebody takes it again.
/^void kpool_settle_some(/,/^}/s/queue_work(kpool_wq, &pool->settler);/;/
