# SPDX-License-Identifier: GPL-2.0-only
# file: attrs.c
# breaks: The pool grows and the submitter that waits sleeps on.
/^void kpool_attrs_apply/,/^}/{
s/kpool_unlock(pool, flags);/raw_spin_unlock_irqrestore(\&pool->lock, flags);/
s/kpool_settle_all(pool);/;/
}
