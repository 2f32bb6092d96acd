# SPDX-License-Identifier: GPL-2.0-only
# file: delay.c
# kernel: uml-time
# tests: wake
# breaks: A job submitted without a delay waits for the next call.
/^int kpool_submit_delayed/,/^}/s/kpool_unlock(pool, flags)/raw_spin_unlock_irqrestore(\&pool->lock, flags)/
