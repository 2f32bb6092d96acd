# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: uml-time
# tests: state
# breaks: A worker is reaped while it is in worker_exit, for which all others wait.
/^	kpool_hook_exits(worker);/{
N
s/kpool_hook_exits(worker);\n\tkpool_worker_call_exit(worker);/kpool_hook_ends(worker);\n\tkpool_worker_ended(worker);\n\tkpool_worker_call_exit(worker);\n\tkpool_await_reaper(pool);\n\treturn 0;/
}
