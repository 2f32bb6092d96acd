# SPDX-License-Identifier: GPL-2.0-only
# file: odd.c
# kernel: uml
# tests: weight
# breaks: An item that is too heavy is accepted.
s/if (kpool_weight(item) > (u32)pool->attrs.capacity)/if (0)/
