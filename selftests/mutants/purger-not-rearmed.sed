# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# kernel: uml-time
# tests: time ants
# breaks: A worker that was too young at the first look is never looked at again.
/^void kpool_purge_work/,/^}/s/kpool_arm_purger(pool);/;/
