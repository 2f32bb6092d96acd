# SPDX-License-Identifier: GPL-2.0-only
# file: drop.c
# breaks: The owner is told to free an item that still runs.
/^void kpool_doom(/,/^}/s/^\tif (run) {/\tif (run)\n\t\titem->run = NULL;\n\tif (0) {/
