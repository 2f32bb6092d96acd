#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# needs: kpool_sim
# The first seeds of the simulation; "make simulate" has more to say.

. "$(dirname "$0")/ktap.sh"

ktap_begin
if [ "${KERNEL:-}" != uml-time ]; then
	ktap_skip_all "wants one CPU and simulated time: KERNEL=uml-time"
fi
simulate_name="50000 seeds agree with the model"
if simulate_report=$(sh "$SELFTESTS/simulate/run.sh" 1 50000 2>&1); then
	ktap_ok "$simulate_name"
else
	ktap_diag "$simulate_report"
	ktap_not_ok "$simulate_name"
fi
ktap_end
