// SPDX-License-Identifier: GPL-2.0-only
/* A client whose name fits into that of a module only: see tables.sh. */
#include "client.c"
