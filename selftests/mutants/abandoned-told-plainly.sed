# SPDX-License-Identifier: GPL-2.0-only
# file: call.c
# kernel: kcsan
# tests: races
# breaks: A function may never see that nobody waits for it any more.
s/READ_ONCE(worker->call->abandoned)/worker->call->abandoned/
