# SPDX-License-Identifier: GPL-2.0-only
# file: group.c
# kernel: uml
# tests: group
# breaks: A submitter that sleeps with a job of a cancelled group sleeps on.
/^bool kpool_sweep_groups/,/^}/s/^\tif (job) {/\tif (0 \&\& job) {/
