# SPDX-License-Identifier: GPL-2.0-only
# file: pending.h
# kernel: uml-debug
# tests: context
# breaks: A hardirq that submits interrupts a submitter that holds the lock.
s/raw_spin_lock_irqsave(&pool->lock, \*flags);/local_save_flags(*flags);\n\t\traw_spin_lock(\&pool->lock);/
