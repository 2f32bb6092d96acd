#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

. "$(dirname "$0")/ktap.sh"

ktap_begin
run_cases calling_context
ktap_end
