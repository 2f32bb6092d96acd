# SPDX-License-Identifier: GPL-2.0-only
# file: stream.c
# kernel: uml-time
# tests: ordered
# breaks: Two jobs of an ordered stream are completed at once.
/^void kpool_stream_complete(/,/^}/s/run->stream->runner = run;/;/
