# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: uml
# tests: hope
# breaks: A worker that has refused a sleeper does not look at the line again before it sleeps.
/^static bool kpool_rest/,/^}/s/if (unlikely(kpool_has_work(pool)) \&\&/if (0 \&\&/
