# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# breaks: A worker that has come is still thought to be on its way.
/^static bool kpool_rest/,/^}/s/^\tpool->nr_coming--;//
