# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: uml
# tests: state
# breaks: What interrupts a worker is taken for the worker.
s/if (!in_task() || /if (/
