# SPDX-License-Identifier: GPL-2.0-only
# file: odd.c
# kernel: uml
# tests: stream
# breaks: A delayed job takes its place in the stream before it is due.
/^void kpool_odd_accepted/,/^}/s/ \&\& item->place != KPOOL_DELAYED//
