# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# breaks: A hang of the whole pool is never refused.
/^bool kpool_settle(/,/^}/s/kpool_break_deadlock(pool))/0 \&\& kpool_break_deadlock(pool))/
