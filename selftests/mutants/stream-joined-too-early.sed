# SPDX-License-Identifier: GPL-2.0-only
# file: odd.c
# kernel: uml
# tests: stream
# breaks: A delayed job takes its place in the stream before it is due.
/^void kpool_odd_accepted/,/^}/s/if (job \&\& job->group)/if (job \&\& job->stream)\n\t\tkpool_stream_join(pool, job);\n\t&/
/^void kpool_odd_enters/,/^}/s/if (job \&\& job->stream)/if (0)/
