# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# breaks: A new worker that has looked at the line is still thought to be about to.
/^int kpool_worker_main/,/^}/s/^\tpool->nr_settling--;//
