# SPDX-License-Identifier: GPL-2.0-only
# file: debugfs.c
# kernel: uml-time
# tests: tables
# breaks: A worker whose item sleeps in kpool is shown as running.
s/row->asleep ? "asleep" : //
