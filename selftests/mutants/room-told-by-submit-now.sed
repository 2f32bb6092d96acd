# SPDX-License-Identifier: GPL-2.0-only
# file: submit.c
# kernel: uml-time
# tests: edges
# breaks: A refusal by kpool_submit_now() has the owner told of room.
/^int kpool_submit_now/,/^}/s/pool->stats.refused++;/kpool_refuse(pool, item);/
