# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: uml
# tests: regress
# breaks: A worker woken by somebody else takes itself for sent: it stays on the idle list and in no count.
/^static bool kpool_rest/,/^}/s/while (worker->state == KPOOL_IDLE)/if (worker->state == KPOOL_IDLE)/
