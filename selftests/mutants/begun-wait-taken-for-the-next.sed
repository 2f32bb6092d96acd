# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# tests: circle
# breaks: Who waits for a run of an item does not wait for a later one.
s/return waiter->begun ? kpool_runner(waiter->item) :/return/
s/ && !waiter->begun//
