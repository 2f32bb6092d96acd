# SPDX-License-Identifier: GPL-2.0-only
# file: item.c
# breaks: Who takes the lock of an item's home does not see that it has left.
s/if (!home->dead \&\& READ_ONCE(item->home) == home->id)/if (!home->dead)/
