# SPDX-License-Identifier: GPL-2.0-only
# file: run.c
# kernel: uml
# tests: hope
# breaks: A worker that leaves is asked for a sleep that is noted elsewhere.
/^struct kpool_run \*kpool_current_run/,/^}/s/worker \&\& worker->run.item ?/worker ?/
