# SPDX-License-Identifier: GPL-2.0-only
# file: multi.c
# kernel: uml
# tests: multi
# breaks: Of equally loaded pools the last is chosen.
s/if (load < least)/if (load <= least)/
