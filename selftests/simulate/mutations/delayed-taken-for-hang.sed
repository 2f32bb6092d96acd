# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: deadlock delay
# breaks: A delayed job that will start is not hoped for.
/^static bool kpool_start_helps/,/^}/s/(pool->nr_delayed \&\& !pool->closed \&\& kpool_free_units(pool))/false/
