# SPDX-License-Identifier: GPL-2.0-only
# file: death.c
# kernel: stock
# tests: oops_submitter
# breaks: Who waits for what a dead submitter ran is told that it has ended well.
/^static void kpool_bury_submitter/,/^}/s/waiter->lost = -EIO;/;/
