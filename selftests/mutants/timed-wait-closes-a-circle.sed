# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: circle
# breaks: A sleep that ends by itself makes nobody be refused.
/^int kpool_wait_item/,/^}/s/timeout == MAX_SCHEDULE_TIMEOUT \&\&/true \&\&/
