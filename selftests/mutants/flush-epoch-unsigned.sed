# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml-time
# tests: item
# breaks: A flush ends too early, or never, when the count of flushes wraps.
s/(s32)(waiter->epoch - epoch) >= 0/waiter->epoch >= epoch/
