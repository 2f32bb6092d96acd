# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: delay group
# breaks: A sleeper that waits for a delayed job is refused.
/^static bool kpool_start_helps/,/^}/s/(pool->nr_delayed \&\& !pool->closed \&\& kpool_free_units(pool))/false/
