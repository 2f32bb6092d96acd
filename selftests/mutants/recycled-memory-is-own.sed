# SPDX-License-Identifier: GPL-2.0-only
# file: submit.c
# kernel: uml
# tests: rerun
# breaks: An item in the memory of one that freed itself is let in without room.
s/kpool_runner(item) == worker)/worker->run.item == item)/
