# SPDX-License-Identifier: GPL-2.0-only
# file: stall.c
# kernel: uml-time
# tests: stall
# breaks: No worker can be made while the stacks of stalled items are taken.
/nr = kpool_count_stalls/{n;d}
s/^	if (nr > KPOOL_MAX_TOLD)/	mutex_unlock(\&pool->mutex);\n&/
