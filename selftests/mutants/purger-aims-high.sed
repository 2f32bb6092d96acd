# SPDX-License-Identifier: GPL-2.0-only
# file: delay.c
# kernel: uml-time
# tests: time delay
# breaks: At the start of a level of the timer wheel a worker is purged, and a job due, too late.
s/max(left - left \/ 256, 1L)/max(left, 1L)/
