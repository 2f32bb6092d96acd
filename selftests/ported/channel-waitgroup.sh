#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The scenarios of workers that range over a channel, and a WaitGroup; the table of
# Documentation/coming-from/channel-waitgroup.rst says which covers what.

. "$(dirname "$0")/../ktap.sh"

ktap_begin
run_cases channel_waitgroup
ktap_end
