# SPDX-License-Identifier: GPL-2.0-only
# file: item.c
# breaks: Who waits for an item that is taken back while it runs is told before the run has ended.
/^bool kpool_do_cancel/,/^}/s/run ? &run->waiters : &pool->served/0 \&\& run ? \&run->waiters : \&pool->served/
