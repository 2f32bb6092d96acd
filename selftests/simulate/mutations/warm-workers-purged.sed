# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# breaks: Warm workers are purged.
/^static bool kpool_can_expire/,/^}/s/> (unsigned int)pool->attrs.min_workers/> 0/
