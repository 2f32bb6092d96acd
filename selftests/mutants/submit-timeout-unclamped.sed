# SPDX-License-Identifier: GPL-2.0-only
# file: submit.c
# kernel: uml-time
# tests: timeouts
# breaks: The longest timeouts are over at once.
s/min_t(unsigned long, timeout, MAX_SCHEDULE_TIMEOUT)/timeout/
