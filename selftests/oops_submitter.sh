#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# boots: alone
# kernels: debian uml uml-debug x86-debug
# oopses: yes
# Submitters that oops, or on User Mode Linux end, in an item that they run
# themselves.

. "$(dirname "$0")/ktap.sh"

ktap_begin
run_cases oops_submitter
ktap_end
