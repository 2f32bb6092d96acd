# SPDX-License-Identifier: GPL-2.0-only
# file: delay.c
# kernel: uml-time
# tests: tables
# breaks: A delayed job is old when it becomes due.
s/^\titem->since = jiffies;$/\t;/
