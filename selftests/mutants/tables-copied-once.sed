# SPDX-License-Identifier: GPL-2.0-only
# file: debugfs.c
# kernel: uml-time
# tests: tables
# breaks: Workers beyond the first copy are not listed.
s/if (nr++ < size)$/if (nr++ < 100)/
