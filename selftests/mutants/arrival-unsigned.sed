# SPDX-License-Identifier: GPL-2.0-only
# file: pending.h
# kernel: uml-time
# tests: priority
# breaks: The line is out of order where the count of arrivals wraps.
s/(s32)(other->arrival - item->arrival) > 0/other->arrival > item->arrival/
