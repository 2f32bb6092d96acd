# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# kernel: uml-time
# tests: state
# breaks: The next worker is not made before the worker_init of the last one has returned.
/^static bool kpool_should_try/,/^}/s/return /return !pool->nr_spawning \&\& /
