# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: uml
# tests: priority
# breaks: The turn of the lower ones goes by priority, not by age.
s/(s32)(item->arrival - lower->arrival) < 0/0/
