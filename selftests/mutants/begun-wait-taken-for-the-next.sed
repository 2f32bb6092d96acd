# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: circle
# breaks: A wait for a run of an item is taken for one for a later run.
/^bool kpool_wait_has_begun/,/^}/s/return run \&\& (/return 0 \&\& run \&\& (/
