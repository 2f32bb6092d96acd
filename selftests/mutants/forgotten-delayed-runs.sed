# SPDX-License-Identifier: GPL-2.0-only
# file: forgotten.c
# kernel: uml
# tests: forgotten
# breaks: A delayed item runs when its module has gone.
s/^\tkpool_scan(going, NULL);/\t;/
