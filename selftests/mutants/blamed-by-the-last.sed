# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# kernel: uml
# tests: oops
# breaks: A worker is taken for the last that had its memory, which died in the fault handler.
/worker->blaming = false;/d
