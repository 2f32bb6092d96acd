# SPDX-License-Identifier: GPL-2.0-only
# file: annotate.h
# kernel: uml-debug
# tests: lock_order_item
# breaks: Lockdep does not know that an item runs.
/^static inline void kpool_map_\(begin\|end\)/,/^}/s/if (worker->before.nr_locks)/if (1)/
