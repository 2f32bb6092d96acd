# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: uml
# tests: stream
# breaks: A job that has to follow is let in as if it could start.
s/if (!kpool_must_follow(item) \&\& /if (/
