# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: uml
# tests: group rerun
# breaks: An item doomed while it ran is never dropped.
/^void kpool_unhold/,/^}/s/kpool_queue_dropper(pool);/;/
