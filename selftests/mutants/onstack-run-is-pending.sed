# SPDX-License-Identifier: GPL-2.0-only
# file: item.c
# kernel: uml-time
# tests: edges
# breaks: An item on the stack that has said that it is done is reported when it goes.
s/bool pending = item->place != KPOOL_NOWHERE;/bool pending = item->place != KPOOL_NOWHERE || kpool_run_of(item);/
