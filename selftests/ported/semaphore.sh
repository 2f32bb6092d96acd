#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The scenarios of x/sync's weighted semaphore; the table of
# Documentation/coming-from/semaphore.rst says which covers what.

. "$(dirname "$0")/../ktap.sh"

ktap_begin
run_cases semaphore
ktap_end
