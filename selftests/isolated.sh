#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# boots: alone
# kernels: debian
# append: isolcpus=1
# A CPU that the scheduler leaves alone.

. "$(dirname "$0")/ktap.sh"

ktap_begin
run_cases watchdog_cpu
ktap_end
