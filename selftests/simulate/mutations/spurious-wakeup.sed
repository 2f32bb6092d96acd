# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# breaks: A worker woken by somebody else takes itself for sent.
/^static bool kpool_rest/,/^}/s/while (worker->state == KPOOL_IDLE)/if (worker->state == KPOOL_IDLE)/
