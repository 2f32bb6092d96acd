# SPDX-License-Identifier: GPL-2.0-only
# file: attrs.c
# kernel: uml-time
# tests: tune overflow
# breaks: A person makes submit sleep under its callers' raw spinlocks.
s/if (pool->made.nonblocking && !attrs->nonblocking)/if (0)/
