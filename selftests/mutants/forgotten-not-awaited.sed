# SPDX-License-Identifier: GPL-2.0-only
# file: forgotten.c
# kernel: uml
# tests: forgotten
# breaks: A module goes while its items run in the default pool.
/^static bool kpool_run_is_of/,/^}/s/kpool_is_within(fn, module)/(0 \&\& fn)/
/^static bool kpool_run_is_of/,/^}/s/kpool_is_within(run->item, module)/0/
