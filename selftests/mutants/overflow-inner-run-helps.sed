# SPDX-License-Identifier: GPL-2.0-only
# file: run.c
# kernel: uml
# tests: overflow
# breaks: An item that another runs, and that sleeps, hides a hang.
/^void kpool_ext_run_enter/,/^}/s/if (!run->outer \&\& !run->worker)/if (!run->worker)/
/^void kpool_ext_run_leave/,/^}/s/if (!run->outer \&\& !run->worker)/if (!run->worker)/
