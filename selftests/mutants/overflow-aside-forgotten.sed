# SPDX-License-Identifier: GPL-2.0-only
# file: run.c
# kernel: uml
# tests: overflow
# breaks: An item submitted while its submitter ran it never starts.
/^void kpool_ext_run_end/,/^}/s/kpool_run_release(pool, run);/;/
