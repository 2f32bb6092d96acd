# SPDX-License-Identifier: GPL-2.0-only
# file: forgotten.c
# kernel: uml
# tests: forgotten
# breaks: A module goes while its items run in the default pool.
/kpool_run_within/,/^}/s/kpool_is_within(READ_ONCE(worker->fn), owner)/0/
