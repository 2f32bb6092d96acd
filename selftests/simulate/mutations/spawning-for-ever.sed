# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# breaks: A thread that could not be made still counts as being made.
/^static void kpool_reap(/,/^}/s/kpool_spawn_ended(pool);/;/
