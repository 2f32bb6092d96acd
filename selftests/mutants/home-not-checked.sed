# SPDX-License-Identifier: GPL-2.0-only
# file: submit.c
# kernel: uml
# tests: rerun
# breaks: An item that runs in one pool is submitted to another.
/^int kpool_adopt/,/^}/s/} else if (kpool_run_of(item) \&\& !kpool_hands_itself_on(old, item)) {/} else if (0) {/
