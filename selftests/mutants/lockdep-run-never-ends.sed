# SPDX-License-Identifier: GPL-2.0-only
# file: annotate.h
# kernel: uml-debug
# tests: lock_order
# breaks: Lockdep takes the last item of a worker for one that runs.
/^static inline void kpool_map_end/,/^}/{/lock_map_release/d}
