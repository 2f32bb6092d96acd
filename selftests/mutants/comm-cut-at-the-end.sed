# SPDX-License-Identifier: GPL-2.0-only
# file: kpool.c
# kernel: uml-time
# tests: attrs
# breaks: Workers of pools that differ at the end of their names have the same comm.
s/^\tif (len <= room)$/\tif (true)/
