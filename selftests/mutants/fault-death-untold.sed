# SPDX-License-Identifier: GPL-2.0-only
# file: death.c
# kernel: uml
# tests: oops
# breaks: The fault handler takes a death for an error that was returned.
s/\.died\t= true/.died\t= false/
