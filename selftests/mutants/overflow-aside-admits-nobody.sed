# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: uml
# tests: overflow
# breaks: An item aside for its own run keeps out those behind it.
/^struct kpool_item \*kpool_next_eligible/,/^}/s/kpool_admit_blocked(pool);/;/
