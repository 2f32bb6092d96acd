# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: submit
# breaks: A time-out that meets its serving withdraws what was served.
/^int kpool_wait(/,/^}/s/if (!waiter->served)/if (!left)/
