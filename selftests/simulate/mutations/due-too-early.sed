# SPDX-License-Identifier: GPL-2.0-only
# file: delay.c
# breaks: A delayed job is due one tick early.
s/job->due = jiffies + min(delay, MAX_JIFFY_OFFSET - 1) + 1;/job->due = jiffies + min(delay, MAX_JIFFY_OFFSET - 1);/
s/if (time_before(jiffies, kpool_job_of(item)->due))/if (time_before(jiffies + 1, kpool_job_of(item)->due))/
