# SPDX-License-Identifier: GPL-2.0-only
# file: pending.h
# kernel: uml-time
# tests: priority
# breaks: An item counts as younger than those that came more than 2^31 acceptances later.
/^static inline bool kpool_is_older/,/^}/s/return later > 0 || (!later \&\&/return ((void)later, true) \&\& (true \&\&/
