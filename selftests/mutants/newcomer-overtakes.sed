# SPDX-License-Identifier: GPL-2.0-only
# file: submit.c
# kernel: uml
# tests: submit
# breaks: A submit takes a free unit although others wait.
s/if (list_empty(&pool->blocked) \&\& kpool_has_room(pool))/if (kpool_has_room(pool))/
s/kpool_accept(pool, item);/&/
