# SPDX-License-Identifier: GPL-2.0-only
# file: overflow.c
# kernel: uml
# tests: overflow
# breaks: A submitter runs a job whose deadline has passed.
s/^\terr = kpool_odd_verdict(item);/\terr = 0;/
