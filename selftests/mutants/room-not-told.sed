# SPDX-License-Identifier: GPL-2.0-only
# file: wait.c
# kernel: uml-time
# tests: edges
# breaks: A submitter that was refused is never told of room.
s/kpool_serve_closers(pool) || kpool_tell_room(pool) ||/kpool_serve_closers(pool) ||/
