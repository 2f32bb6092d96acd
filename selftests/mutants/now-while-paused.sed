# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: uml-time
# tests: edges
# breaks: kpool_submit_now() accepts what pause holds back.
s/if (pool->paused || !list_empty(&pool->blocked) ||/if (!list_empty(\&pool->blocked) ||/
