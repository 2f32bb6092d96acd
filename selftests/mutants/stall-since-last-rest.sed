# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: uml-time
# tests: stall
# breaks: The time of an item is that since its worker last rested.
/worker->state = KPOOL_RUNNING;/{n;/since/d}
