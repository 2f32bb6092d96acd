# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: uml-time
# tests: edges
# breaks: A submitter that was refused with more units than a shrunk pool has is never told.
s/if (units != UINT_MAX)/if (0)/
