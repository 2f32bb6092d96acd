/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Included before each file of kpool that is linked into another module, by
 * kpool.mk.  The symbols are the module's own: if it exported them, it could
 * not be loaded beside kpool.ko.
 */
#ifndef _KPOOL_EMBED_H
#define _KPOOL_EMBED_H

#include <linux/export.h>

/* the names of trace events are global */
#define NOTRACE

#undef EXPORT_SYMBOL_GPL
#define EXPORT_SYMBOL_GPL(sym)	static_assert(!__same_type(sym, int))

#endif /* _KPOOL_EMBED_H */
