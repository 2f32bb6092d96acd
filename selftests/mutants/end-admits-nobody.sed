# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: uml
# tests: submit
# breaks: A unit becomes free and the submitter that waits for it sleeps on.
/ void kpool_end(struct/,/^}/s/^\tkpool_admit_blocked(pool);//
