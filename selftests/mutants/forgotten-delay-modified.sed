# SPDX-License-Identifier: GPL-2.0-only
# file: delay.c
# kernel: uml
# tests: forgotten
# breaks: A delayed job is moved behind the search for its module's items, and runs when that has gone.
s/kpool_is_of_going(pool, &job->item)/0/
