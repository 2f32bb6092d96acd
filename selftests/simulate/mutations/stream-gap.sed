# SPDX-License-Identifier: GPL-2.0-only
# file: stream.c
# breaks: The first of a stream is taken back and the next of it waits on.
/^void kpool_stream_leave/,/^}/s/^\tif (first)/\tif (0)/
