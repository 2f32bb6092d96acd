# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# breaks: A thread that cannot be made is not tried again.
/^static bool kpool_should_spawn/,/^}/s/return kpool_may_grow(pool)/return !pool->spawn_pause \&\& kpool_may_grow(pool)/
