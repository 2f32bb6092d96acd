# SPDX-License-Identifier: GPL-2.0-only
# file: state.c
# kernel: uml
# tests: state
# breaks: A worker whose worker_init has failed runs items.
s/return PTR_ERR_OR_ZERO(worker->data);/return 0;/
