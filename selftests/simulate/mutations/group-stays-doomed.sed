# SPDX-License-Identifier: GPL-2.0-only
# file: group.c
# breaks: A group that has ended stays on the list of the cancelled, and its memory is gone.
/^static void kpool_group_remove_member/,/^}/s/kpool_group_swept(group);/;/
