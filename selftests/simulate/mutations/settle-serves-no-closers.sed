# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# breaks: A closed pool has ended and its release sleeps on.
/^bool kpool_settle(/,/^}/s/kpool_serve_closers(pool)/(0 \&\& kpool_serve_closers(pool))/
