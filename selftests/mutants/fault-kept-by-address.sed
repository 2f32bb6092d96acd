# SPDX-License-Identifier: GPL-2.0-only
# file: fault.c
# kernel: uml-time
# tests: fault stall
# breaks: Errors and stalls of a module that was unloaded are shown as addresses.
s/"%ps", fault->fn)/"%px", fault->fn)/
s/"%ps", fn)/"%px", fn)/
