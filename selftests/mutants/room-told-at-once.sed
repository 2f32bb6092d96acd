# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: uml-time
# tests: edges
# breaks: A submitter that was refused is told although there is no room.
s/(!pool->closed && !kpool_has_room_for(/(0 \&\& !kpool_has_room_for(/
