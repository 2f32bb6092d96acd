# SPDX-License-Identifier: GPL-2.0-only
# file: multi.c
# kernel: uml
# tests: multi
# breaks: Ages are added up.
s/u64 oldest_ms = max(sum->oldest_ms, one->oldest_ms)/u64 oldest_ms = sum->oldest_ms + one->oldest_ms/
