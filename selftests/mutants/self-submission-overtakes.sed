# SPDX-License-Identifier: GPL-2.0-only
# file: submit.c
# kernel: uml
# tests: rerun
# breaks: An item that submits itself starves blocked submitters.
/accepted for want of room/,/^}/{
s/item->place = KPOOL_DUE;/kpool_append(pool, item);/
/list_add_tail/d
/nr_due++/d
}
