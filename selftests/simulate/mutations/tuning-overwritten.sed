# SPDX-License-Identifier: GPL-2.0-only
# file: attrs.c
# breaks: Of two tunings at once one undoes the other.
/^int kpool_tune(/,/^}/s/^\tif (!err)$/\tmutex_unlock(\&pool->mutex);\n\tmutex_lock(\&pool->mutex);\n&/
