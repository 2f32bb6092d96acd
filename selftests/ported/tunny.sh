#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The scenarios of tunny; the table of
# Documentation/coming-from/tunny.rst says which covers what.

. "$(dirname "$0")/../ktap.sh"

ktap_begin
run_cases tunny
ktap_end
