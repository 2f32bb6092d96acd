# SPDX-License-Identifier: GPL-2.0-only
# file: kpool.c
# kernel: uml-debug
# tests: lifetime
# breaks: A submitter on its way out finds the pool freed.
s/^\tkpool_wait_last_out(pool);//
s/^static void kpool_wait_last_out/static __maybe_unused void kpool_wait_last_out/
