# SPDX-License-Identifier: GPL-2.0-only
# file: submit.c
# kernel: uml
# tests: context
# breaks: A submit in an interrupt sleeps because a person has made the pool blocking.
s/^\t       in_task() && !irqs_disabled_flags(flags);/\t       true;/
