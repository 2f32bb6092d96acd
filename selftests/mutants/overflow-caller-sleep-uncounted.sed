# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: overflow
# breaks: A submitter asleep in the item that it runs hides a hang.
/^static void kpool_nest/,/^}/s/waiter->run = kpool_current_run(pool);/&\n\tif (waiter->run \&\& !waiter->run->worker)\n\t\twaiter->run = NULL;/
