# SPDX-License-Identifier: GPL-2.0-only
# file: multi.c
# kernel: uml
# tests: multi
# breaks: Round robin does not try the least loaded.
s/if (err != -EAGAIN ||/if (err ||/
