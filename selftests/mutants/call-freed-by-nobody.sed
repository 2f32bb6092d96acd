# SPDX-License-Identifier: GPL-2.0-only
# file: call.c
# kernel: uml
# tests: call
# breaks: The argument of an abandoned call is not released.
s/kpool_call_free(call, true);/(void)call;/
