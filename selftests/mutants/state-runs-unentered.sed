# SPDX-License-Identifier: GPL-2.0-only
# file: state.c
# kernel: uml
# tests: state
# breaks: A worker that was never entered looks at the line.
s/if (READ_ONCE(worker->settled) || kthread_should_stop())/if (1)/
s/return READ_ONCE(worker->settled);/return true;/
