# SPDX-License-Identifier: GPL-2.0-only
# file: multi.c
# kernel: uml
# tests: multi
# breaks: Those that had been tuned before the refusal stay so.
s/while (err \&\& i--)/while (0)/
