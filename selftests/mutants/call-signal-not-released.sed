# SPDX-License-Identifier: GPL-2.0-only
# file: call.c
# kernel: uml-time
# tests: edges
# breaks: The argument of a call that a signal has ended leaks.
s/return err == -ETIMEDOUT || err == -EINTR;/return err == -ETIMEDOUT;/
