# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: uml
# tests: together
# breaks: A stream stops when the first of its jobs is dropped.
/^void kpool_give_up/,/^}/s/if (in_stream \&\& /if (in_stream \&\& 0 \&\& /
