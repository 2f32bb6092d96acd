# SPDX-License-Identifier: GPL-2.0-only
# file: kpool.c
# kernel: uml-time
# tests: lifetime
# breaks: A pool whose module has gone is freed by another, and again with kpool.ko.
/^static bool kpool_claim/,/^}/s/!pool->orphaned/true/
