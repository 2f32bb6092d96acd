# SPDX-License-Identifier: GPL-2.0-only
# file: overflow.c
# kernel: uml-time
# tests: report
# breaks: What an item leaves behind in its submitter is not looked at.
s/if (unlikely(kpool_leaked(&before)))/if (0)/
