# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml-time
# tests: wake
# breaks: What a cancelled group has accepted or holds back stays there.
/^bool kpool_settle(/,/^}/s/kpool_sweep_groups(pool)) {/false) {/
