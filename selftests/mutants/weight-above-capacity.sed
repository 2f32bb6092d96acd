# SPDX-License-Identifier: GPL-2.0-only
# file: odd.c
# kernel: uml
# tests: weight
# breaks: An item that is too heavy is accepted.
/^int kpool_odd_may_accept/,/^}/s/kpool_weight(item) > (u32)pool->attrs.capacity/0/
