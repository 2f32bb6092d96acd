# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# kernel: uml-time
# tests: fail
# breaks: After a thread could not be made, nobody tries again.
/^static bool kpool_should_spawn/,/^}/s/return kpool_may_grow(pool)/return !pool->spawn_pause \&\& kpool_may_grow(pool)/
