# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# kernel: uml-time
# tests: tables
# breaks: A new worker is shown with the items of the one before it.
s/^\tworker->done = 0;$/\t;/
