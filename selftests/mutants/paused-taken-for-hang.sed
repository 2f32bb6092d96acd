# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml
# tests: deadlock
# breaks: A sleeper in a paused pool is refused.
s/ || pool->paused || kpool_first(pool)/ || kpool_first(pool)/
