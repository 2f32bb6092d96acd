# SPDX-License-Identifier: GPL-2.0-only
# file: overflow.c
# kernel: uml
# tests: overflow
# breaks: Items run inside one another by their submitters use up the stack.
s/#define KPOOL_MAX_DEPTH\t\t4/#define KPOOL_MAX_DEPTH\t\t400/
