#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# needs: diagnosis
# guest-modules: qemu_fw_cfg
# dump.sh, in a guest: hold a pool with running, pending and blocked items, print what debugfs shows of
# it, and have the memory dumped. QEMU needs the module to find its way in the memory.

kpool=/sys/kernel/debug/kpool

while read -r file; do
	insmod "$file" || exit
done </lib/modules/qemu_fw_cfg
insmod kpool.ko && insmod selftests/diagnosis.ko || exit
echo units_are_held >/sys/module/diagnosis/parameters/run || exit
for file in stats workers diagnosis; do
	sed "s/^/$file: /" "$kpool/diagnosis/$file" || exit
done
echo "kpool-testbed: dump"
sleep 600
