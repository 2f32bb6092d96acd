# SPDX-License-Identifier: GPL-2.0-only
# file: multi.c
# kernel: uml
# tests: multi
# breaks: A refusal for another reason than want of room goes elsewhere.
s/if (err != -EAGAIN ||/if (!err ||/
