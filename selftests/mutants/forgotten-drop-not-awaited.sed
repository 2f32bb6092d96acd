# SPDX-License-Identifier: GPL-2.0-only
# file: forgotten.c
# kernel: uml
# tests: forgotten
# breaks: A module goes while its dropped function runs.
/^static bool kpool_await_left/,/^}/s/kpool_find_ext_run(going);/(0 ? kpool_find_ext_run(going) : NULL);/
