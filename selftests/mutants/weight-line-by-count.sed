# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: uml
# tests: weight
# breaks: Units of those in line are not counted: more is let in than may wait.
s/if (ready + pool->extra_line <= \*left) {/if (ready <= *left) {/
