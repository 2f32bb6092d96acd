#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# boots: alone

. "$(dirname "$0")/ktap.sh"

ktap_begin
run_cases callback
ktap_end
