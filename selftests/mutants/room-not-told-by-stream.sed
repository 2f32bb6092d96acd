# SPDX-License-Identifier: GPL-2.0-only
# file: stream.c
# kernel: uml-time
# tests: edges
# breaks: A submitter that was refused behind another of its stream is never told of room.
s/if (pool->room_follow)/if (0)/
