# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: delay
# breaks: A delayed job that no unit will ever be free for hides a hang.
/^static bool kpool_start_helps/,/^}/s/(pool->nr_delayed \&\& !pool->closed \&\& kpool_free_units(pool))/pool->nr_delayed/
