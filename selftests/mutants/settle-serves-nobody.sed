# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml-time
# tests: item
# breaks: A wait that has ended is not completed.
/^bool kpool_settle(/,/^}/s/kpool_serve_one(pool) ||/(0 \&\& kpool_serve_one(pool)) ||/
