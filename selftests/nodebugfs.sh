#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# boots: alone
# kernels: debian uml
# append: debugfs=off
# needs: submit tune attrs worker_data multi
# A kernel that has debugfs and lets no user open it: everything but kpool's files
# works, tuning by call and module parameters included.
#
# Fails (oopses) if an error of debugfs_create_dir() is followed, or is taken for
# one of kpool_create() or of the load.

. "$(dirname "$0")/ktap.sh"

ktap_begin
! mount_debugfs
ktap_result $? "debugfs is off"
for module in submit tune attrs worker_data multi; do
	run_cases "$module"
done
load_test client items=50 capacity=2 && rmmod client
ktap_result $? "a client comes and goes"
load_test client use_default=1 items=50 && rmmod client
ktap_result $? "a client of the default pool comes and goes"
rmmod kpool && insmod "$KPOOL_KO" capacity=3
ktap_is "module parameters are read and shown" 3 "$(cat /sys/module/kpool/parameters/capacity)"
ktap_end
