# SPDX-License-Identifier: GPL-2.0-only
# file: pending.h
# breaks: An item submitted while it runs starts on a second worker.
/kpool_first(/,/^}/s/return likely(!kpool_runner(item)) ?/return likely(1) ?/
