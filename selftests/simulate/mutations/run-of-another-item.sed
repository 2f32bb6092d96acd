# SPDX-License-Identifier: GPL-2.0-only
# file: pending.h
# breaks: An item that has ended is taken to run as long as the run that it was in is used for others.
/^static inline struct kpool_run \*kpool_run_of/,/^}/s/run \&\& run->item == item ? run : NULL/run/
