# SPDX-License-Identifier: GPL-2.0-only
# file: annotate.c
# kernel: uml-debug
# tests: lock_order_pool
# breaks: An item that waits for itself is refused silently.
s/if (IS_ENABLED(CONFIG_PROVE_LOCKING))/if (0)/
