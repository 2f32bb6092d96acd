# SPDX-License-Identifier: GPL-2.0-only
# file: odd.c
# kernel: uml
# tests: stream
# breaks: A follower in line is counted as if it could start: more come in than the queue has places.
/^void kpool_odd_line/,/^}/s/pool->nr_follow += sign;/;/
