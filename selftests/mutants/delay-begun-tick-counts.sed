# SPDX-License-Identifier: GPL-2.0-only
# file: delay.c
# kernel: uml-time
# tests: delay
# breaks: A job is due a part of a tick too early.
s/MAX_JIFFY_OFFSET - 1) + 1;/MAX_JIFFY_OFFSET - 1);/
