# SPDX-License-Identifier: GPL-2.0-only
# file: internal.h
# kernel: uml
# tests: weight
# breaks: An item heavier than a shrunk capacity never starts.
s/return min_t(u32, kpool_weight(item), pool->attrs.capacity);/return kpool_weight(item);/
