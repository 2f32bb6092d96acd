# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# kernel: uml-time
# tests: fail
# breaks: After a thread could not be made, nobody tries again.
/^void kpool_spawn_work/,/^}/s/^\tkpool_spawn_if_needed(pool);/\t;/
