# SPDX-License-Identifier: GPL-2.0-only
# file: stall.c
# kernel: uml
# tests: stall
# breaks: A stack is printed one entry too far.
/^static void kpool_print_stack/,/^}/s/i < stack->nr/i <= stack->nr/
