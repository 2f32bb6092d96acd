# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml-time
# tests: submit
# breaks: No submitter that sleeps is let in when there is room.
/^bool kpool_settle(/,/^}/s/kpool_admit_one(pool) ||/0 ||/
