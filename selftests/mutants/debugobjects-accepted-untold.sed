# SPDX-License-Identifier: GPL-2.0-only
# file: annotate.h
# kernel: uml-debug
# tests: debugobjects
# breaks: A pending item is none to debugobjects.
s/^\tdebug_object_activate(.*;/\t;/
