# SPDX-License-Identifier: GPL-2.0-only
# file: stream.c
# kernel: uml
# tests: stream
# breaks: A job starts while another of its stream runs.
s/worker->stream->runner = worker;/worker->stream->runner = NULL;/
