# SPDX-License-Identifier: GPL-2.0-only
# file: kpool.c
# kernel: uml-time
# tests: tables
# breaks: A newer item of a higher priority hides the oldest.
s/age = max(age, (u32)jiffies - item->since);/age = age ?: (u32)jiffies - item->since;/
