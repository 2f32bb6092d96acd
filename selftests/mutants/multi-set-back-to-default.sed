# SPDX-License-Identifier: GPL-2.0-only
# file: multi.c
# kernel: uml
# tests: multi
# breaks: Zero in force is set back as a request for the default.
s/ ?: KPOOL_NONE;/;/
