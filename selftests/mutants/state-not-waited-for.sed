# SPDX-License-Identifier: GPL-2.0-only
# file: state.c
# kernel: uml
# tests: state
# breaks: A worker is entered before it has its state.
s/wait_for_completion(&worker->tried);/;/
