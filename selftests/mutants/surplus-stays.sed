# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: uml
# tests: tune ants
# breaks: After a shrink the pool runs more than capacity.
s/return kpool_has_surplus(pool) ? NULL : kpool_take(pool);/return kpool_take(pool);/
/^static bool kpool_should_leave/,/^}/s/ || kpool_has_surplus(pool)/ || (0 \&\& kpool_has_surplus(pool))/
