# SPDX-License-Identifier: GPL-2.0-only
# Turns the bench's rounds (ground,case,contender,round,cost,p50,p99,p999,other)
# into a table and one line per target.
#
# kpool's median is compared with a peer's best quartile: what a peer loses by
# its own bad rounds must not flatter kpool.

BEGIN {
	nr_fields = split("cost p50 p99 p999 other", field, " ")
}

function sort_rounds(of, n,	i, j, x)
{
	for (i = 2; i <= n; i++) {
		x = figure[of, i]
		for (j = i - 1; j >= 1 && figure[of, j] > x; j--)
			figure[of, j + 1] = figure[of, j]
		figure[of, j + 1] = x
	}
}

function summarise(what, peer,	f, n, of)
{
	n = count[what, peer]
	for (f = 1; f <= nr_fields; f++) {
		of = what SUBSEP peer SUBSEP field[f]
		sort_rounds(of, n)
		best[of] = figure[of, 1]
		quartile[of] = figure[of, int((n + 3) / 4)]
		median[of] = figure[of, int((n + 1) / 2)]
		worst[of] = figure[of, n]
	}
}

function has(what, peer)
{
	return (what, peer) in count
}

# kpool's median to the peer's best quartile
function ratio(what, name, peer)
{
	if (!has(what, "kpool") || !quartile[what, peer, name])
		return 0
	return median[what, "kpool", name] / quartile[what, peer, name]
}

function print_percentiles(of,	f)
{
	for (f = 2; f <= nr_fields; f++) {
		if (median[of, field[f]])
			printf " %8.0f", median[of, field[f]]
		else
			printf " %8s", ""
	}
}

function print_case(what,	c, peer)
{
	for (c = 1; c <= nr_contenders; c++) {
		peer = contender[c]
		if (!has(what, peer))
			continue
		printf "%-23s %-14s %11.1f %11.1f %11.1f", what, peer,
		       median[what, peer, "cost"], best[what, peer, "cost"],
		       worst[what, peer, "cost"]
		print_percentiles(what SUBSEP peer)
		if (peer != "kpool" && ratio(what, "cost", peer))
			printf " %8.2f", ratio(what, "cost", peer)
		printf "\n"
	}
}

function print_target(what, value, goal, is_met)
{
	printf "TARGET %s %s %s %.2f (%s)\n", what, ground,
	       is_met ? "met" : "short", value, goal
}

# kpool's figure is at most so much of the peer's
function at_most(what, name, peer, limit,	r)
{
	if (!has(what, "kpool") || !has(what, peer))
		return
	r = ratio(what, name, peer)
	if (name != "cost")
		what = what "-" name
	print_target(what, r,
		     sprintf("<= %.2f of %s", limit, peer), r <= limit)
}

# kpool is at least so many times as fast as the peer
function at_least(what, peer, factor,	r)
{
	if (!has(what, "kpool") || !has(what, peer))
		return
	r = 1 / ratio(what, "cost", peer)
	print_target(what, r, sprintf(">= %.2f times %s", factor, peer),
		     r >= factor)
}

# kpool's cost is at most so much of its cost in another case
function at_most_of_case(what, other, limit,	r)
{
	if (!has(what, "kpool") || !has(other, "kpool"))
		return
	r = median[what, "kpool", "cost"] / median[other, "kpool", "cost"]
	print_target(what, r, sprintf("<= %.2f of %s", limit, other),
		     r <= limit)
}

# kpool's other figure, in permille, is at least so much of one
function at_least_permille(what, least,	r)
{
	if (!has(what, "kpool"))
		return
	r = median[what, "kpool", "other"] / 1000
	print_target(what, r, sprintf(">= %.2f", least), r >= least)
}

# the best of the two usual peers
function best_peer(what, name,	wq, worker)
{
	wq = quartile[what, "WQ_UNBOUND", name]
	worker = quartile[what, "kthread_worker", name]
	return wq < worker ? "WQ_UNBOUND" : "kthread_worker"
}

function tiny_targets(what,	parts, r)
{
	if (split(what, parts, "-") != 3 || parts[1] != "tiny")
		return
	if (parts[3] >= 2)
		at_least(what, "OpenZFS_taskq", 4)
	if (ground == "icount") {
		at_most(what, "cost", "WQ_UNBOUND", 0.27)
		at_most(what, "cost", "kthread_worker", 0.60)
	} else if (ground == "uml" && parts[3] >= 2) {
		at_least(what, "WQ_UNBOUND", 4)
		at_least(what, "kthread_worker", 3)
		r = worst[what, "kpool", "cost"] / median[what, "kpool", "cost"]
		print_target(what "-worst", r, "<= 2.00 of its median", r <= 2)
	}
}

function work_targets()
{
	at_least("work-1us-2", "WQ_UNBOUND", 1.3)
	if (ground != "uml")
		return
	at_least_permille("work-10us-2", 0.90)
	at_least_permille("work-100us-2", 0.98)
}

function trip_targets(what)
{
	if (!has(what, "kpool"))
		return
	if (ground == "icount") {
		at_most(what, "cost", best_peer(what, "cost"), 1)
	} else if (ground == "uml") {
		at_most(what, "p50", "WQ_UNBOUND", 1.05)
		at_most(what, "p99", "WQ_UNBOUND", 1.05)
	}
}

function job_targets()
{
	if (ground != "icount")
		return
	at_most_of_case("job-nothing", "job-plain", 1.4)
	at_most_of_case("job-group", "job-plain", 1.8)
	at_most_of_case("job-stream", "job-plain", 1.8)
	at_most_of_case("job-weight", "job-plain", 1.8)
	at_most_of_case("job-deadline", "job-plain", 1.8)
}

# kpool's other figure is at most so many bytes
function at_most_bytes(what, limit,	bytes)
{
	if (!has(what, "kpool"))
		return
	bytes = median[what, "kpool", "other"]
	print_target(what, bytes, sprintf("<= %d bytes", limit), bytes <= limit)
}

function wait_targets(what)
{
	at_most(what "50", "p999", "WQ_UNBOUND", 1)
	at_most(what "80", "p999", "WQ_UNBOUND", 1)
}

function growth_targets()
{
	at_most_of_case("workers-submit-10000", "workers-submit-10", 1.1)
	at_most_of_case("workers-tune-10000", "workers-tune-10", 1.1)
	at_most_of_case("workers-stats-10000", "workers-stats-10", 1.1)
	at_most_of_case("workers-purge-10000", "workers-purge-1000", 1.1)
	at_most_of_case("pending-submit-1000000", "pending-submit-1000", 1.1)
}

$1 == "ground" {
	next
}

{
	ground = $1
	if (!($2 in known_case)) {
		known_case[$2]
		cases[++nr_cases] = $2
	}
	if (!($3 in known)) {
		known[$3]
		contender[++nr_contenders] = $3
	}
	n = ++count[$2, $3]
	for (f = 1; f <= nr_fields; f++)
		figure[$2, $3, field[f], n] = $(4 + f) + 0
}

END {
	if (!nr_cases)
		exit 1
	for (of in count) {
		split(of, key, SUBSEP)
		summarise(key[1], key[2])
	}
	printf "kpool bench, ground %s: %s per item\n", ground,
	       ground == "icount" ? "instructions" : "nanoseconds"
	printf "(ratio: kpool's median to the contender's best quartile)\n\n"
	printf "%-23s %-14s %11s %11s %11s %8s %8s %8s %8s %8s\n", "case",
	       "contender", "median", "min", "max", "p50", "p99", "p99.9",
	       "other", "ratio"
	for (k = 1; k <= nr_cases; k++)
		print_case(cases[k])
	print ""
	for (k = 1; k <= nr_cases; k++)
		tiny_targets(cases[k])
	work_targets()
	trip_targets("trip-completion")
	trip_targets("trip-flush")
	job_targets()
	if (ground == "icount")
		at_most("create-1", "cost", "kthread_worker", 1.5)
	wait_targets("wait-thread-")
	wait_targets("wait-irq-")
	at_most("burst-64", "cost", "WQ_UNBOUND", 0.95)
	at_most("sleepers", "cost", "kthread_run", 1.15)
	growth_targets()
	at_most_bytes("memory-pool", 4096)
	at_most_bytes("memory-worker", 256)
	at_least_permille("pools-64", 0.50)
}
