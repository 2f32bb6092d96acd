# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: uml
# tests: submit
# breaks: A unit becomes free and the submitter that waits for it sleeps on.
/^static void kpool_end/,/^}/s/^\tkpool_admit_blocked(pool);//
