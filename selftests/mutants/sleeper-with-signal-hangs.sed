# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml-time
# tests: edges
# breaks: A sleeper whose signal is pending is refused as a hang.
s/if (signal_pending_state(waiter->signals, waiter->run->task))/if (0)/
