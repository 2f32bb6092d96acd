# SPDX-License-Identifier: GPL-2.0-only
# file: debugfs.c
# kernel: uml-time
# tests: tables
# breaks: The table of pools shows idle workers as alive, and the reverse.
s/kpool_state_name(s), s->alive, s->idle,/kpool_state_name(s), s->idle, s->alive,/
