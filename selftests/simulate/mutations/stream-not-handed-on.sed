# SPDX-License-Identifier: GPL-2.0-only
# file: stream.c
# breaks: A run of a stream ends and the next of it waits on.
/^void kpool_stream_end/,/^}/s/^\t\tkpool_stream_next(pool, stream);/\t\t;/
