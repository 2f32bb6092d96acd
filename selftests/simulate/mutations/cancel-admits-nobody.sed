# SPDX-License-Identifier: GPL-2.0-only
# file: item.c
# breaks: A place becomes free by a cancel and the submitter that waits for it sleeps on.
/^bool kpool_cancel(/,/^}/s/kpool_unlock(pool, flags);/raw_spin_unlock_irqrestore(\&pool->lock, flags);/
