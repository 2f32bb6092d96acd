# SPDX-License-Identifier: GPL-2.0-only
# file: delay.c
# kernel: uml-time
# tests: wake
# breaks: A delayed job made due at once waits for the next call.
/^bool kpool_modify_delay/,/^}/s/kpool_unlock(pool, flags)/raw_spin_unlock_irqrestore(\&pool->lock, flags)/
