# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# kernel: uml-time
# tests: time
# breaks: A worker that fell asleep late in a tick is purged before its time.
s/time_after(jiffies, kpool_next_expiry/time_after_eq(jiffies, kpool_next_expiry/
