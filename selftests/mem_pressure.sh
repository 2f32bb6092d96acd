#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# boots: alone
# kernels: debian uml
# Memory at its limit.

. "$(dirname "$0")/ktap.sh"

ktap_begin
run_cases mem_pressure
ktap_end
