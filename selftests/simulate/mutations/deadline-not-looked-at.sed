# SPDX-License-Identifier: GPL-2.0-only
# file: odd.c
# breaks: A job whose deadline has passed runs.
/^int kpool_odd_verdict/,/^}/s/ktime_after(ktime_get(), job->deadline)/0/
