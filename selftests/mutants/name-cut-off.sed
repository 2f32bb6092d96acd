# SPDX-License-Identifier: GPL-2.0-only
# file: kpool.c
# kernel: uml-time
# tests: attrs
# breaks: A name that is too long is cut off and accepted.
/kpool_name_format(/,/^}/s/for (i = 0; i < len; i++)/for (i = 0; name[i]; i++)/
