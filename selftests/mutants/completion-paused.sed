# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: uml-time
# tests: ordered
# breaks: A job that has started is not completed while its pool is paused.
/^bool kpool_has_special_work/,/^}/s/return kpool_free_units(pool);/return kpool_free_units(pool) \&\& !pool->paused;/
