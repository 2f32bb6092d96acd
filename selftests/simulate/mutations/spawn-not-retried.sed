# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# breaks: A thread that cannot be made is not tried again.
/^void kpool_spawn_work/,/^}/s/^\tkpool_spawn_if_needed(pool);/\t;/
