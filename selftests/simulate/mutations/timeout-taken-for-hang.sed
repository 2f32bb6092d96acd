# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# breaks: A sleeper that would wake by itself counts as one that hangs.
/^int kpool_wait(/,/^}/s/if (timeout == MAX_SCHEDULE_TIMEOUT)/if (1)/
