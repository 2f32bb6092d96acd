# SPDX-License-Identifier: GPL-2.0-only
# file: state.c
# kernel: kcsan
# tests: races
# breaks: A worker may never see that it has been let in.
s/READ_ONCE(worker->settled)/worker->settled/
