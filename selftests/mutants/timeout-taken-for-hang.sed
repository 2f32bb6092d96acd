# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: deadlock
# breaks: A sleeper that would wake by itself is refused.
s/if (timeout == MAX_SCHEDULE_TIMEOUT)/if (1)/
