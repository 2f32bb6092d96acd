# SPDX-License-Identifier: GPL-2.0-only
# file: drop.c
# kernel: uml
# tests: deadline
# breaks: What was too late is not counted as expired.
s/pool->stats.expired += err == -ETIME;/;/
