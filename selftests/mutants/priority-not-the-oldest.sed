# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: uml
# tests: priority
# breaks: The turn of the lower ones goes by priority, not by age.
/^static struct kpool_item \*kpool_in_turn/,/^}/s/(!lower || kpool_is_older(item, lower))/(!lower)/
