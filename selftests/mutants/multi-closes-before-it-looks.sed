# SPDX-License-Identifier: GPL-2.0-only
# file: multi.c
# kernel: uml
# tests: multi
# breaks: They are closed before the caller is found to be inside one.
/^int kpool_multi_release_timeout/,/^}/{/might_sleep/a\	kpool_multi_release(multi);
}
