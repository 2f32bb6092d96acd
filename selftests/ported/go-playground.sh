#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The scenarios of go-playground/pool; the table of
# Documentation/coming-from/go-playground.rst says which covers what.

. "$(dirname "$0")/../ktap.sh"

ktap_begin
run_cases goplayground
ktap_end
