# SPDX-License-Identifier: GPL-2.0-only
# file: fault.c
# kernel: uml-time
# tests: stall
# breaks: The stack of a stall is shown with one entry too many.
s/i < stack->nr/i <= stack->nr/
