# SPDX-License-Identifier: GPL-2.0-only
# file: watch.c
# kernel: uml
# tests: watch
# breaks: The CPU that arms the watch keeps its time.
s/cpu != here \&\& /cpu == here \&\& /
