# SPDX-License-Identifier: GPL-2.0-only
# file: call.c
# kernel: uml
# tests: call
# breaks: The caller that gives up releases the argument of a function that runs.
s/\*mine = false;/*mine = true;/
