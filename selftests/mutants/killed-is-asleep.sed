# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: hope
# breaks: Who waits for a sleeper that has been killed is refused.
/^static bool kpool_has_active_run/,/^}/s/fatal_signal_pending(waiter->run->task)/0/
