# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: uml
# tests: priority
# breaks: A lower item starts one turn too late.
s/#define KPOOL_MAX_PASSED\t15/#define KPOOL_MAX_PASSED\t16/
