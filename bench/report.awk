# SPDX-License-Identifier: GPL-2.0-only
# Turns the bench's rounds (ground,case,producers,capacity,contender,per_item)
# into a table, CSV lines and one line per target.
#
# kpool's median is held against a peer's best quartile: what a peer loses by
# its own bad rounds must not flatter kpool.

function sort_rounds(of, n,	i, j, x)
{
	for (i = 2; i <= n; i++) {
		x = figure[of, i]
		for (j = i - 1; j >= 1 && figure[of, j] > x; j--)
			figure[of, j + 1] = figure[of, j]
		figure[of, j + 1] = x
	}
}

function summarise(of, n)
{
	sort_rounds(of, n)
	best[of] = figure[of, 1]
	quartile[of] = figure[of, int((n + 3) / 4)]
	median[of] = figure[of, int((n + 1) / 2)]
	worst[of] = figure[of, n]
}

function ratio_to(what, peer)
{
	return median[what, "kpool"] / quartile[what, peer]
}

function print_case(what,	c, of, ratio)
{
	for (c = 1; c <= nr_contenders; c++) {
		of = what SUBSEP contender[c]
		if (!(of in count))
			continue
		ratio = contender[c] == "kpool" ? "" : \
			sprintf("%8.2f", ratio_to(what, contender[c]))
		printf "%-24s %-15s %9.1f %9.1f .. %-9.1f %s\n", label[what],
		       contender[c], median[of], best[of], worst[of], ratio
	}
}

function print_csv(what,	c, of)
{
	for (c = 1; c <= nr_contenders; c++) {
		of = what SUBSEP contender[c]
		if (of in count)
			printf "CSV %s,%s,%s,%.1f,%.1f,%.1f,%.1f\n", ground,
			       csv[what], contender[c], median[of], best[of],
			       quartile[of], worst[of]
	}
}

# A target holds for the case in which kpool does worst.
function print_target(peer, goal,	k, ratio, highest)
{
	highest = 0
	for (k = 1; k <= nr_cases; k++) {
		if (name[cases[k]] != "tiny")
			continue
		ratio = ratio_to(cases[k], peer)
		if (ratio > highest)
			highest = ratio
	}
	printf "TARGET tiny-vs-%s %s %s %.2f (<= %.2f)\n", peer, ground,
	       highest <= goal ? "met" : "short", highest, goal
}

$1 == "ground" {
	next
}

{
	what = $2 SUBSEP $3 SUBSEP $4
	of = what SUBSEP $5
	ground = $1
	if (!(what in label)) {
		cases[++nr_cases] = what
		name[what] = $2
		csv[what] = $2 "," $3 "," $4
		label[what] = $2 == "tiny" ? $2 " " $3 " to " $4 : $2
	}
	if (!($5 in known)) {
		known[$5] = 1
		contender[++nr_contenders] = $5
	}
	figure[of, ++count[of]] = $6 + 0
}

END {
	if (!nr_cases)
		exit 1
	for (of in count)
		summarise(of, count[of])

	unit = ground == "icount" ? "instructions" : "nanoseconds"
	printf "kpool bench, ground %s: %s per item or round trip\n", ground,
	       unit
	printf "(tiny P to C: P producers, C items at once; "
	printf "kthread_worker always has one thread;\n"
	printf " ratio: kpool's median to the contender's best quartile)\n\n"
	printf "%-24s %-15s %9s %9s .. %-9s %8s\n", "case", "contender",
	       "median", "min", "max", "ratio"
	for (k = 1; k <= nr_cases; k++)
		print_case(cases[k])
	print ""
	print "CSV ground,case,producers,capacity,contender,median,min,quartile,max"
	for (k = 1; k <= nr_cases; k++)
		print_csv(cases[k])
	if (ground != "icount")
		exit 0
	print ""
	print_target("WQ_UNBOUND", 0.50)
	print_target("kthread_worker", 1.00)
}
