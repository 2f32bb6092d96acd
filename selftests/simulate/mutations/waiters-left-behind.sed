# SPDX-License-Identifier: GPL-2.0-only
# file: odd.c
# breaks: Who waits for a pending item is forgotten when it starts.
/^void kpool_odd_begin/,/^}/{
/__KPOOL_WATCHED/d
/kpool_move_waiters/d
}
