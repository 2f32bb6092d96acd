# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: circle
# breaks: A job that will not run waits to be dropped, not for its stream.
/^static bool kpool_waits_for_stream/,/^}/s/!pool->aborted/true/
