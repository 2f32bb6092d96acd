# SPDX-License-Identifier: GPL-2.0-only
# file: run.c
# kernel: uml
# tests: oops
# breaks: A fault handler that is told of a death and waits for its pool hangs for ever.
/^struct kpool_run \*kpool_current_run/,/^}/s/if (run)/if (run \&\& !run->worker)/
