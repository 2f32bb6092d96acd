# SPDX-License-Identifier: GPL-2.0-only
# file: call.c
# kernel: uml-time
# tests: call
# breaks: The time that a call waited for admission is taken from it twice.
s/timeout -= min(timeout, jiffies - begin)/timeout -= min(timeout, 2 * (jiffies - begin))/
