# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: uml
# tests: state
# breaks: A worker ends without worker_exit.
s/kpool_worker_call_exit(worker);//
