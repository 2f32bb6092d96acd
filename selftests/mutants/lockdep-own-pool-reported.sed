# SPDX-License-Identifier: GPL-2.0-only
# file: annotate.c
# kernel: uml-debug
# tests: lock_order
# breaks: An item that waits for its own pool is reported.
/^void kpool_map_wait_pool/,/^}/s/if (kpool_is_part_of(pool))/if (0)/
