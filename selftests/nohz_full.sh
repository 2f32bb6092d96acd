#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# boots: alone
# kernels: debian
# append: nohz_full=1
# A CPU without a tick.

. "$(dirname "$0")/ktap.sh"

ktap_begin
run_cases watchdog_cpu
ktap_end
