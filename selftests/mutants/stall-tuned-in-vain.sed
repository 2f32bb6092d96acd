# SPDX-License-Identifier: GPL-2.0-only
# file: attrs.c
# kernel: uml-time
# tests: stall
# breaks: A shorter stall time is not applied to what runs already.
/if (pool->watched)/,/mod_delayed_work(kpool_wq, &pool->watch, 0);/d
