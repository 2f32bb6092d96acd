# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: overflow
# breaks: A submitter asleep in the item that it runs hides a hang.
/^static void kpool_nest/,/^}/s/^\twaiter->run = run;/\tif (run \&\& !run->worker)\n\t\trun = NULL;\n&/
