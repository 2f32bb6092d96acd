#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The scenarios of fasthttp's worker pool; the table of
# Documentation/coming-from/fasthttp.rst says which covers what.

. "$(dirname "$0")/../ktap.sh"

ktap_begin
run_cases fasthttp
ktap_end
