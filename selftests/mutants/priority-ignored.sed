# SPDX-License-Identifier: GPL-2.0-only
# file: pending.h
# kernel: uml
# tests: priority
# breaks: All items are in one line.
s/rank = KPOOL_RANK_HIGH;/rank = KPOOL_RANK_NORMAL;/;s/rank = KPOOL_RANK_LOW;/rank = KPOOL_RANK_NORMAL;/
