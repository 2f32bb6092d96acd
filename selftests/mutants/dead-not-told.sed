# SPDX-License-Identifier: GPL-2.0-only
# file: death.c
# kernel: stock
# tests: oops
# breaks: Those who wait for the pool or the group of a dead item are told 0.
s/waiter->lost = -EIO;/waiter->lost = 0;/
