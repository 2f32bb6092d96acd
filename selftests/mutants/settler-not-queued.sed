# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml-time
# tests: group wake
# breaks: What one hold of the lock has left is never settled: of many waiters only the first are woken.
/^void kpool_settle_some/,/^}/s/if (kpool_settle(pool))/if (kpool_settle(pool) \&\& 0)/
