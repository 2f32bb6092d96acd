# SPDX-License-Identifier: GPL-2.0-only
# file: item.c
# kernel: uml
# tests: group
# breaks: A member that was taken back fails its group.
s/kpool_group_end(pool, group, item, -ECANCELED, false)/kpool_group_end(pool, group, item, -ECANCELED, true)/
