# SPDX-License-Identifier: GPL-2.0-only
# file: delay.c
# kernel: uml-time
# tests: delay
# breaks: After a job that was due the timer is not set for the next.
/^static bool kpool_delay_batch/,/^}/s/^\t\t\tkpool_delay_arm(pool);//
