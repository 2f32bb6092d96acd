#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

. "$(dirname "$0")/ktap.sh"

ktap_begin
run_cases context_leak
ktap_end
