# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# breaks: A thread that was being made while the pool shrank is entered all the same.
/^bool kpool_enter_worker/,/^}/s/if (pool->nr_workers >= (unsigned int)pool->attrs.capacity)/if (0)/
