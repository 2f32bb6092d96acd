# SPDX-License-Identifier: GPL-2.0-only
# file: overflow.c
# kernel: uml
# tests: overflow
# breaks: A newcomer that displaces another overtakes those who sleep.
s/!list_empty(&pool->blocked) || !kpool_lacks/!kpool_lacks/
