# SPDX-License-Identifier: GPL-2.0-only
# file: worker.c
# kernel: uml
# tests: rerun
# breaks: An item submitted while it runs never starts.
/^static void kpool_end/,/^}/{
/worker->held/d
/kpool_unhold/d
}
