# SPDX-License-Identifier: GPL-2.0-only
# file: call.c
# kernel: uml
# tests: call
# breaks: A function cannot see that its caller has gone.
/^bool kpool_is_abandoned/,/^}/s/return worker/return 0 \&\& worker/
