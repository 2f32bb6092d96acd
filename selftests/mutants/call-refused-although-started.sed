# SPDX-License-Identifier: GPL-2.0-only
# file: call.c
# kernel: uml
# tests: call
# breaks: A caller is sent away with an error although its function has started.
/^static int kpool_call_settle/,/^}/s/if ((err != -ETIMEDOUT && err != -EINTR) || !kpool_call_runs(item))/if (!kpool_call_runs(item))/
