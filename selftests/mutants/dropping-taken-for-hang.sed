# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: deadlock item
# breaks: A sleeper that waits for a dropped function is refused.
/^static bool kpool_has_active_run/,/^}/s/ + pool->nr_ext_threads//
