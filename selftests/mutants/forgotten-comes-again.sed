# SPDX-License-Identifier: GPL-2.0-only
# file: submit.c
# kernel: uml-time
# tests: forgotten
# breaks: An item that submits itself keeps its module from going.
/^int kpool_may_accept/,/^}/s/kpool_is_of_going(pool, item)/0/
