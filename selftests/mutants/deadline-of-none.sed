# SPDX-License-Identifier: GPL-2.0-only
# file: odd.c
# kernel: uml
# tests: deadline
# breaks: A job without a deadline is dropped.
s/return job->deadline \&\& ktime_after/return ktime_after/
