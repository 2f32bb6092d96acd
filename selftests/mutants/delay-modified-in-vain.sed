# SPDX-License-Identifier: GPL-2.0-only
# file: delay.c
# kernel: uml
# tests: delay
# breaks: A delay that is made shorter stays.
/^bool kpool_modify_delay/,/^}/s/kpool_delay(pool, job, delay);/kpool_delay(pool, job, max_t(long, delay, job->due - jiffies));/
