# SPDX-License-Identifier: GPL-2.0-only
# file: group.c
# kernel: uml-time
# tests: collect
# breaks: A collector that is woken in vain waits for its whole time again.
s/^\t\t\ttimeout = max_t(long, end - jiffies, 0);/\t\t\ttimeout += 0;/
