# SPDX-License-Identifier: GPL-2.0-only
# file: group.c
# kernel: uml-time
# tests: timeouts
# breaks: The longest waits for a group are over at once.
s/MAX_SCHEDULE_TIMEOUT), signals);/ULONG_MAX), signals);/
