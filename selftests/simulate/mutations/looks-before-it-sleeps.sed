# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# breaks: A worker that leaves looks whether it is to stop before it says that it sleeps.
/^static void kpool_await_reaper/,/^}/{
	/set_current_state(TASK_IDLE/d
	s/^\t\tschedule();/\t\tset_current_state(TASK_IDLE);\n\t\tschedule();/
}
