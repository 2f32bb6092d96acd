#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# boots: alone
# kernels: uml-time

. "$(dirname "$0")/ktap.sh"

ktap_begin
run_cases wrap
ktap_end
