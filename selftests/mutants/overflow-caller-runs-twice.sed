# SPDX-License-Identifier: GPL-2.0-only
# file: overflow.c
# kernel: uml
# tests: overflow
# breaks: A submitter runs an item that runs already.
/^bool kpool_can_caller_run/,/^}/s/return !kpool_run_of(item) \&\&/return/
