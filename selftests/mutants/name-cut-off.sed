# SPDX-License-Identifier: GPL-2.0-only
# file: kpool.c
# kernel: uml-time
# tests: attrs
# breaks: A name that is too long is cut off and accepted.
s/if (!len || len != strlen(name) || /if (!len || /
