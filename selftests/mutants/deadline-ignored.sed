# SPDX-License-Identifier: GPL-2.0-only
# file: odd.c
# kernel: uml
# tests: deadline
# breaks: A job whose deadline has passed runs.
s/return job->deadline \&\& ktime_after(ktime_get(), job->deadline) ?/return 0 \&\& job->deadline ?/
