# SPDX-License-Identifier: GPL-2.0-only
# file: overflow.c
# kernel: uml
# tests: together
# breaks: An item is dropped for its unit, which a newcomer that has to follow cannot use.
s/return !kpool_must_follow(newcomer) &&/return true ||/
