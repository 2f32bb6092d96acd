# SPDX-License-Identifier: GPL-2.0-only
# file: stream.c
# kernel: uml-time
# tests: ordered
# breaks: The jobs behind one that is cancelled are never completed.
/^static void kpool_stream_remove_turn/,/^}/s/if (first)/if (0)/
