# SPDX-License-Identifier: GPL-2.0-only
# file: manager.c
# breaks: The last worker on its way has come and those who wait for that sleep on.
s/^\t\tkpool_serve_list(pool, &pool->growers, false);/\t\t;/
