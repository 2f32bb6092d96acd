# SPDX-License-Identifier: GPL-2.0-only
# file: odd.c
# kernel: uml
# tests: clock
# breaks: A deadline passes because the wall clock was set.
s/ktime_get()/ktime_get_real()/
