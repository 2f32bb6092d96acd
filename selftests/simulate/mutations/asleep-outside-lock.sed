# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# breaks: The state is set after the lock: who comes in between wakes a running task, and the worker sleeps on.
/^static bool kpool_rest/,/^}/{
/__set_current_state(kpool_idle_state(pool));/d
s/^\t\tschedule();/\t\t__set_current_state(kpool_idle_state(pool));\n&/
}
