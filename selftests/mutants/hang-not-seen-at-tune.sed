# SPDX-License-Identifier: GPL-2.0-only
# file: kpool.c
# kernel: uml
# tests: deadlock
# breaks: A shrunk or resumed pool hangs and nobody looks.
/^void kpool_go_on/,/^}/s/^\tkpool_break_deadlock(pool);//
