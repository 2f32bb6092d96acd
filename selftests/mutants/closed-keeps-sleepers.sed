# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: uml
# tests: ants
# breaks: Release leaves blocked submitters asleep.
/^bool kpool_admit_one/,/^}/s/if (kpool_refuse_one(pool))/if (0 \&\& kpool_refuse_one(pool))/
