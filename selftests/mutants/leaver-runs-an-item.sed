# SPDX-License-Identifier: GPL-2.0-only
# file: outside.c
# kernel: uml
# tests: hope
# breaks: A worker that leaves is asked for a sleep that is noted elsewhere.
s/worker \&\& worker->run.item ? worker : NULL/worker/
