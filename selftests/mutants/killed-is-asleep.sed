# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: hope
# breaks: Who waits for a sleeper that has been killed is refused.
/^static bool kpool_sleeps_on/,/^}/s/fatal_signal_pending(run->task)/0/
