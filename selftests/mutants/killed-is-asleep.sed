# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: hope
# breaks: Who waits for a sleeper that has been killed is refused.
/^static bool kpool_has_signal/,/^}/s/signal_pending_state(waiter->signals, waiter->run->task)/0/
