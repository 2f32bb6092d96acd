# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# breaks: An item submitted while it runs starts on a second worker.
/^static bool kpool_must_park/,/^}/s/ || kpool_run_of(item);/;/
