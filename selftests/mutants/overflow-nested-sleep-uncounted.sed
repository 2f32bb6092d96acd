# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: overflow
# breaks: A submitter asleep in an item within the item that it runs hides a hang.
s/if (outside->task == run->task \&\& kpool_sleeps_on(outside))/if (outside == run \&\& kpool_sleeps_on(outside))/
