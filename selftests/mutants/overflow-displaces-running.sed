# SPDX-License-Identifier: GPL-2.0-only
# file: overflow.c
# kernel: uml
# tests: overflow
# breaks: The next run of an item that runs is displaced.
/^static struct kpool_item \*kpool_oldest_in/,/^}/s/if (!kpool_run_of(item) \&\&/if (/
