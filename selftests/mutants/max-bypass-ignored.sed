# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: uml-time
# tests: priority
# breaks: Every pool lets fifteen starts pass, whatever its max_bypass.
s/int most = pool->attrs.max_bypass;/int most = 15;/
