# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# kernel: uml-time
# tests: state
# breaks: The pause after a failed worker_init grows for ever.
s/KPOOL_MAX_SPAWN_PAUSE);/ULONG_MAX \/ 4);/
