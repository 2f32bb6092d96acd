#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# boots: alone
# kernels: debian
# append: preempt=full
# A kernel booted to preempt its own code.

. "$(dirname "$0")/ktap.sh"

ktap_begin
run_cases preempt
ktap_end
