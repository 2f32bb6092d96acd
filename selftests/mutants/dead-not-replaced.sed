# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: stock
# tests: oops
# breaks: A warm worker that died stays away.
/^bool kpool_lose_worker/,/^}/s/kpool_spawn_if_needed(pool);/;/
