# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: overflow
# breaks: An item that another runs, and that sleeps, hides a hang.
/^static bool kpool_sleeps/,/^}/s/return run->inside->asleep;/return false;/
