# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: overflow
# breaks: A submitter asleep in the item that it runs hides a hang.
/^static void kpool_nest/,/^}/s/waiter->outside = kpool_my_outside(pool);/waiter->outside = NULL;/
