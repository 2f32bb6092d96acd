# SPDX-License-Identifier: GPL-2.0-only
# file: submit.c
# kernel: uml-debug
# tests: context
# breaks: A hardirq that submits interrupts a submitter that holds the lock.
/^static int kpool_do_submit/,/^}/s/raw_spin_lock_irqsave(&pool->lock, flags);/local_save_flags(flags);\n\traw_spin_lock(\&pool->lock);/
