# SPDX-License-Identifier: GPL-2.0-only
# file: odd.c
# kernel: uml
# tests: stream
# breaks: A job joins a stream under the lock of another pool.
/^int kpool_odd_may_accept/,/^}/s/if (job->stream \&\& job->stream->pool != pool)/if (0)/
