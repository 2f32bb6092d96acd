# SPDX-License-Identifier: GPL-2.0-only
# file: submit.c
# breaks: An item that submits itself is refused for want of room.
/^static int kpool_overflow/,/^}/s/if (kpool_submits_itself(pool, item))/if (0)/
