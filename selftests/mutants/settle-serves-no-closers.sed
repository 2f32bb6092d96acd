# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml-time
# tests: ends
# breaks: A closed pool has ended and its release sleeps on.
/^bool kpool_settle(/,/^}/s/kpool_serve_closers(pool)/(0 \&\& kpool_serve_closers(pool))/
