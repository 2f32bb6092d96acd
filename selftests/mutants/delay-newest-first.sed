# SPDX-License-Identifier: GPL-2.0-only
# file: delay.c
# kernel: uml-time
# tests: delay
# breaks: Jobs that are due at the same time change their order.
s/return time_before(kpool_job_by_node/return time_before_eq(kpool_job_by_node/
