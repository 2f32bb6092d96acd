# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: stock
# tests: regress
# breaks: An item that submits itself for ever keeps others from the CPU.
s/^\t\tcond_resched();/\t\tbarrier();/
