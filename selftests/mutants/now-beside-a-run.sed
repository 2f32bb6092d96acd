# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: uml-time
# tests: edges
# breaks: kpool_submit_now() accepts what waits for its stream or its own run.
/^bool kpool_can_start_now/,/^}/s/kpool_run_of(item) || kpool_must_follow(item)/0/
