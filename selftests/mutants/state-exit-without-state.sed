# SPDX-License-Identifier: GPL-2.0-only
# file: state.c
# kernel: uml
# tests: state
# breaks: worker_exit is called for a state that could not be made.
s/if (made->worker_exit \&\& !IS_ERR(worker->data))/if (made->worker_exit)/
