# SPDX-License-Identifier: GPL-2.0-only
# file: annotate.h
# kernel: uml-debug
# tests: debugobjects
# breaks: An item that was never made is taken.
s/^\tdebug_object_assert_init(.*;/\t;/
