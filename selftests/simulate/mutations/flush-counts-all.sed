# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# breaks: kpool_flush() counts the ends of items that came later.
s/if ((s32)(epoch - waiter->epoch) > 0 || --waiter->left)/if (--waiter->left)/
