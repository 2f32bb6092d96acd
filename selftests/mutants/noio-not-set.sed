# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: uml-time
# tests: tune
# breaks: Workers of a KPOOL_NOIO pool allocate as they like.
s/made.flags & KPOOL_NOIO/made.flags \& 0/
