# SPDX-License-Identifier: GPL-2.0-only
# The file ratios as bars from 1, which is the cost of kthread_worker;
# testbed/docs.sh sets data and picture.
set terminal svg size 800,420 dynamic background "white"
set output picture
set ylabel "instructions, kthread_worker = 1" noenhanced
set logscale y 2
set yrange [0.5:64]
set grid ytics
set style fill solid 0.6
set xtics rotate by -60 noenhanced
unset key
plot data using 0:(1):($0 - 0.4):($0 + 0.4):(1):2:xticlabels(1) with boxxyerror, 1 linetype -1
