# SPDX-License-Identifier: GPL-2.0-only
# file: overflow.c
# kernel: uml
# tests: stream
# breaks: A submitter runs a job of a stream out of order.
/^bool kpool_can_caller_run/,/^}/s/if ((item->flags & __KPOOL_JOB) \&\&/if (0 \&\& (item->flags \& __KPOOL_JOB) \&\&/
