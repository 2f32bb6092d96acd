# SPDX-License-Identifier: GPL-2.0-only
# The table of medians.awk as bars; testbed/bench.sh sets data, columns,
# picture and ground.
set terminal svg size 1800,700 dynamic background "white"
set output picture
set title ground
set ylabel (ground eq "icount" ? "instructions per item" : "nanoseconds per item")
set logscale y
set style data histogram
set style histogram clustered
set style fill solid
set datafile missing "-"
set key autotitle columnheader outside noenhanced
set xtics rotate by -60 noenhanced
plot for [i=2:columns] data using i:xticlabels(1)
