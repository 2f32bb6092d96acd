# SPDX-License-Identifier: GPL-2.0-only
# file: call.c
# kernel: uml
# tests: call
# breaks: Destroy does not wait for callers that are not asleep: the pool is freed before they have left.
/^static int __kpool_call/,/^}/{
s/kpool_enter(pool);/;/
s/kpool_leave(pool);/;/
}
