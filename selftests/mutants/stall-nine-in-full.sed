# SPDX-License-Identifier: GPL-2.0-only
# file: stall.c
# kernel: uml-time
# tests: stall
# breaks: Nine stalls are told of in full.
s/^#define KPOOL_MAX_TOLD		8U/#define KPOOL_MAX_TOLD		9U/
