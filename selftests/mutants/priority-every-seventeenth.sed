# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: uml
# tests: priority
# breaks: A lower item starts one turn too late.
s/pool->nr_passed >= (unsigned int)most/pool->nr_passed > (unsigned int)most/
