# SPDX-License-Identifier: GPL-2.0-only
# file: stall.c
# kernel: uml
# tests: stall
# breaks: Each look at a run that stalls tells of it.
s/worker->told = worker->done + 1;/;/
