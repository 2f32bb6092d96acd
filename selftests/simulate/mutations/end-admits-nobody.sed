# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# breaks: A run ends and the submitter that waits for its unit sleeps on.
/kpool_end(struct kpool_worker/,/^}/s/^\tkpool_admit_blocked(pool);//
