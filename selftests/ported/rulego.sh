#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The scenarios of rulego's worker pool; the table of
# Documentation/coming-from/rulego.rst says which covers what.

. "$(dirname "$0")/../ktap.sh"

ktap_begin
run_cases rulego
ktap_end
