# SPDX-License-Identifier: GPL-2.0-only
# file: pending.h
# kernel: uml-time
# tests: preempt
# breaks: A worker of a higher priority than the submitter's runs at the next tick.
/^static inline void kpool_unlock(/,/^}/{
	/preempt_disable/d
	/preempt_enable/d
}
