# SPDX-License-Identifier: GPL-2.0-only
# file: submit.c
# kernel: uml
# tests: rerun
# breaks: An item that submits itself is refused for want of room.
s/if (kpool_submits_itself(pool, item))/if (0 \&\& kpool_submits_itself(pool, item))/
