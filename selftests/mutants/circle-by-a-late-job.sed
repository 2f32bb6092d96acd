# SPDX-License-Identifier: GPL-2.0-only
# file: stream.c
# kernel: uml
# tests: circle
# breaks: No circle of sleepers stays closed, else who follows it never ends.
/kpool_refuse_circle(pool/d
