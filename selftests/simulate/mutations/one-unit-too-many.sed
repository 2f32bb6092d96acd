# SPDX-License-Identifier: GPL-2.0-only
# file: pending.h
# breaks: One unit more than capacity is free.
s/return pool->used < capacity ? capacity - pool->used : 0;/return pool->used <= capacity ? capacity + 1 - pool->used : 0;/
