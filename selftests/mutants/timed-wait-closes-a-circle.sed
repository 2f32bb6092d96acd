# SPDX-License-Identifier: GPL-2.0-only
# file: item.c
# tests: circle
# breaks: A sleep that ends by itself makes nobody be refused.
s/timeout == MAX_SCHEDULE_TIMEOUT &&$/true \&\&/
