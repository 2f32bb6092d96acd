# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: stream
# breaks: A job waits for one behind it in its stream.
/^static struct kpool_worker \*kpool_runner_before/,/^}/s/item->flags & __KPOOL_FOLLOWS/0/
