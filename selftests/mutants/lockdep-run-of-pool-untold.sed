# SPDX-License-Identifier: GPL-2.0-only
# file: annotate.h
# kernel: uml-debug
# tests: lock_order_pool
# breaks: Lockdep does not know in which pool an item runs.
/lock_map_\(acquire\|release\)(&worker->pool->map)/d
