# SPDX-License-Identifier: GPL-2.0-only
# file: kpool.c
# kernel: uml
# tests: deadlock
# breaks: A resumed pool hangs and nobody looks.
/^void kpool_resume/,/^}/s/kpool_unlock(pool, flags);/raw_spin_unlock_irqrestore(\&pool->lock, flags);/
