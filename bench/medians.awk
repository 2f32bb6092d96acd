# SPDX-License-Identifier: GPL-2.0-only
# Turns the bench's rounds into a table for draw.gnuplot and ratios.sh: a line per
# case, with the median cost of each contender. In the cases that the regular expression "quartile"
# names it is the lower quartile.

$1 == "ground" || !($5 + 0) {
	next
}

{
	if (!($2 in known_case)) {
		known_case[$2]
		cases[++nr_cases] = $2
	}
	if (!($3 in known)) {
		known[$3]
		contender[++nr_contenders] = $3
	}
	of = $2 SUBSEP $3
	for (i = ++count[of]; i > 1 && cost[of, i - 1] > $5 + 0; i--)
		cost[of, i] = cost[of, i - 1]
	cost[of, i] = $5 + 0
}

END {
	printf "case"
	for (c = 1; c <= nr_contenders; c++)
		printf " %s", contender[c]
	print ""
	for (k = 1; k <= nr_cases; k++) {
		printf "%s", cases[k]
		part = quartile && cases[k] ~ quartile ? 4 : 2
		for (c = 1; c <= nr_contenders; c++) {
			of = cases[k] SUBSEP contender[c]
			if (of in count)
				printf " %s", cost[of, int((count[of] - 1) / part) + 1]
			else
				printf " -"
		}
		print ""
	}
}
