# SPDX-License-Identifier: GPL-2.0-only
# file: forgotten.c
# kernel: uml
# tests: forgotten
# breaks: A module goes while its dropped function runs.
/^static struct kpool_run \*kpool_run_within/,/^}/s/kpool_is_within(outside->fn, owner)/0/
