# SPDX-License-Identifier: GPL-2.0-only
# file: kpool.c
# kernel: uml
# tests: lifetime
# breaks: Two first users make two default pools.
/^struct kpool \*kpool_default/,/^}/{
/mutex_lock/d
/mutex_unlock/d
/DEFINE_MUTEX/d
}
