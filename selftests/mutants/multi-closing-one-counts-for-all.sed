# SPDX-License-Identifier: GPL-2.0-only
# file: multi.c
# kernel: uml
# tests: multi
# breaks: One closed pool makes all look closed.
s/sum->closed &= /sum->closed |= /
