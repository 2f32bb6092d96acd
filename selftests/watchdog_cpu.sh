#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Where the watchdog runs, if no CPU is isolated.

. "$(dirname "$0")/ktap.sh"

ktap_begin
run_cases isolated
ktap_end
