# SPDX-License-Identifier: GPL-2.0-only
# file: call.c
# kernel: uml
# tests: call
# breaks: A caller is not told why its function was dropped.
s/call->dropped = err;/;/
