# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# breaks: The last active item ends and nobody looks.
/^static __always_inline void kpool_run_item/,/^}/s/if (unlikely(pool->nr_concerned))/if (0)/
/^static bool kpool_rest/,/^}/s/if (unlikely(pool->nr_concerned))/if (0)/
