# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# breaks: In a pool that is not plain one more item waits than queue_depth.
/^bool kpool_has_room/,/^}/s/pool->nr_aside <$/pool->nr_aside <=/
