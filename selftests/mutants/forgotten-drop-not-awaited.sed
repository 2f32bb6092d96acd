# SPDX-License-Identifier: GPL-2.0-only
# file: forgotten.c
# kernel: uml
# tests: forgotten
# breaks: A module goes while its dropped function runs.
/^static bool kpool_join_outside/,/^}/s/kpool_is_within([^)]*)/0/
