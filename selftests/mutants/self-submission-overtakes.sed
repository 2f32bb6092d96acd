# SPDX-License-Identifier: GPL-2.0-only
# file: submit.c
# kernel: uml
# tests: rerun
# breaks: An item that submits itself starves blocked submitters.
/^static int kpool_overflow/,/^}/{
/kpool_submits_itself/,/return 0/s/kpool_accept_due(pool, item);/kpool_append(pool, item);/
}
