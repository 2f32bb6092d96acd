# SPDX-License-Identifier: GPL-2.0-only
# file: outside.c
# kernel: uml
# tests: overflow
# breaks: An item submitted while its submitter ran it never starts.
s/^\tkpool_outside_unhold(pool, outside->run.item);/\tif (0)\n\t\tkpool_outside_unhold(pool, outside->run.item);/
