# SPDX-License-Identifier: GPL-2.0-only
# file: attrs.c
# kernel: uml-time
# tests: tune overflow
# breaks: A person has items dropped, or run by their submitter, that must not be.
s/attrs->when_full != pool->made.when_full/0/
