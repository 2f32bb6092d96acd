# SPDX-License-Identifier: GPL-2.0-only
# file: stream.c
# kernel: uml
# tests: stream together
# breaks: A job that leaves its stream takes its turn with it.
/^void kpool_stream_leave/,/^}/s/if (first)/if (0 \&\& first)/
