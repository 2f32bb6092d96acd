# SPDX-License-Identifier: GPL-2.0-only
# file: submit.c
# breaks: A newcomer that finds room does not mind those who wait.
/^static bool kpool_may_come_in/,/^}/s/return list_empty(&pool->blocked) \&\& /return /
