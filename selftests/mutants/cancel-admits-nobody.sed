# SPDX-License-Identifier: GPL-2.0-only
# file: item.c
# kernel: uml
# tests: submit item
# breaks: A place becomes free and the submitter that waits for it sleeps on.
/^bool kpool_cancel(/,/^}/s/kpool_unlock(pool, flags);/raw_spin_unlock_irqrestore(\&pool->lock, flags);/
