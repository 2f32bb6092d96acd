# SPDX-License-Identifier: GPL-2.0-only
# file: submit.c
# kernel: uml
# tests: overflow
# breaks: A submit in an interrupt runs the item, or sleeps.
s/^\t       in_task() && !irqs_disabled_flags(flags);/\t       true;/
