# SPDX-License-Identifier: GPL-2.0-only
# file: overflow.c
# kernel: uml-time
# tests: report
# breaks: An item that a submitter runs is blamed for what the submitter has set itself.
s/kpool_task_state_save(&before);/memset(\&before, 0, sizeof(before));/
