# SPDX-License-Identifier: GPL-2.0-only
# file: stream.c
# kernel: uml
# tests: stream
# breaks: A job put aside does not come back when the one before it has ended.
/^static void kpool_stream_next/,/^}/s/else if (item->place == KPOOL_ASIDE)/else if (0)/
