# SPDX-License-Identifier: GPL-2.0-only
# file: stream.c
# kernel: uml
# tests: stream
# breaks: A job starts while another of its stream runs.
/^void kpool_stream_begin/,/^}/s/run->stream->runner = run;/run->stream->runner = NULL;/
