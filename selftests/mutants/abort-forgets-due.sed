# SPDX-License-Identifier: GPL-2.0-only
# file: drop.c
# kernel: uml
# tests: rerun delay
# breaks: Those accepted without room outlive an abort.
/^static struct kpool_item \*kpool_any_accepted/,/^}/{
/list_first_entry_or_null(&pool->blocked/d
s/^\t\t\t\t\tnode) ?:/\t       NULL ?:/
}
