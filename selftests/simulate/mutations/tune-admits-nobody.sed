# SPDX-License-Identifier: GPL-2.0-only
# file: kpool.c
# breaks: The pool grows and the submitter that waits sleeps on.
/^void kpool_go_on/,/^}/s/^\tkpool_admit_blocked(pool);//
