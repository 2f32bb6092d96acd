# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: uml
# tests: regress
# breaks: The last item of a closed pool ends, and idle workers stay.
/^static bool kpool_rest/,/^}/s/kpool_retire_surplus(pool);/mod_delayed_work(kpool_wq, \&pool->purger, 0);/
