# SPDX-License-Identifier: GPL-2.0-only
# file: pending.h
# kernel: uml
# tests: rerun
# breaks: An item submitted while it runs starts on a second worker.
s/return likely(!kpool_runner(item)) ? item : kpool_choose(pool);/return item;/
