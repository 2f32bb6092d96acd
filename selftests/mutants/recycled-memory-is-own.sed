# SPDX-License-Identifier: GPL-2.0-only
# file: submit.c
# kernel: uml
# tests: rerun
# breaks: An item in the memory of one that freed itself is let in without room.
/^static bool kpool_submits_itself/,/^}/{
s/if (!run || run->kind == KPOOL_RUN_DROP || run->kind == KPOOL_RUN_ABORT)/if (run \&\& run->kind != KPOOL_RUN_WORKER \&\& run->kind != KPOOL_RUN_CALLER)/
s/in \&\& in != run; in/in \&\& in->item != item; in/
}
