# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: uml
# tests: ants
# breaks: The state is set after the lock: work that comes in between wakes a running task, and the worker sleeps on.
/^static bool kpool_rest/,/^}/{
/__set_current_state(kpool_idle_state(pool));/d
s/^\t\tschedule();/\t\tudelay(20);\n\t\t__set_current_state(kpool_idle_state(pool));\n\t\tschedule();/
}
s/#include <linux\/kthread.h>/#include <linux\/delay.h>\n&/
