# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: stream
# breaks: A job waits for one behind it in its stream.
/^static bool kpool_waits_for_stream/,/^}/s/(item->flags & __KPOOL_FOLLOWS)/false/
