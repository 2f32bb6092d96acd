#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The scenarios of ants' own tests, with their numbers; the table of
# Documentation/coming-from/ants.rst says which covers which.

. "$(dirname "$0")/../ktap.sh"

ktap_begin
run_cases ants_submit
run_cases ants_purge
run_cases ants_tune
run_cases ants_release
run_cases ants_faults
run_cases ants_multi
ktap_end
