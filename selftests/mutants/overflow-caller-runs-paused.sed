# SPDX-License-Identifier: GPL-2.0-only
# file: overflow.c
# kernel: uml
# tests: overflow
# breaks: A submitter runs its item in a paused pool.
s/!= KPOOL_CALLER_RUNS || pool->paused)/!= KPOOL_CALLER_RUNS)/
