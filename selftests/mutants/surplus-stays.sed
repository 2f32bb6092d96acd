# SPDX-License-Identifier: GPL-2.0-only
# file: pending.h
# kernel: uml
# tests: tune ants
# breaks: After a shrink the pool runs more than capacity.
/kpool_has_surplus(const/,/^}/s/return kpool_nr_staying/return 0 \&\& kpool_nr_staying/
