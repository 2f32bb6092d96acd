// SPDX-License-Identifier: GPL-2.0-only
/*
 * An item that runs for longer than its pool's stall time is reported: once for
 * each run, by its function, with its stack.
 */
#include <linux/delay.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/stacktrace.h>

#include "internal.h"
#include "jobs.h"
#include "log.h"
#include "trace.h"

#define MANY	12

/* Long for a tick, short for a person. */
#define STALL	40

static struct kpool *pool;
static struct probe p[MANY];

/* The names of these are looked for in stacks. */
static noinline int sleeps_too_long(struct kpool_item *item)
{
	return probe_fn(item);
}

static noinline int sleeps_too_long_by_argument(void *gate)
{
	return kt_gate_pass(gate);
}

static bool spin_on;

/* In any case it ends, before the kernel's own watchdogs complain. */
static ktime_t spin_limit(unsigned int ms)
{
	return ktime_add_ms(ktime_get(), ms);
}

static bool spins_on(ktime_t end)
{
	return READ_ONCE(spin_on) && ktime_before(ktime_get(), end);
}

static noinline int spins_too_long(struct kpool_item *item)
{
	ktime_t end = spin_limit(15000);

	while (spins_on(end))
		cpu_relax();
	return 0;
}

#define SPIN_MS		8000

static noinline int spins_with_interrupts_off(struct kpool_item *item)
{
	ktime_t end = spin_limit(SPIN_MS);

	local_irq_disable();
	while (spins_on(end))
		cpu_relax();
	local_irq_enable();
	return 0;
}

static bool stall_make(int capacity, int stall_ms, kpool_item_fn fn)
{
	const struct kpool_attrs attrs = {
		.capacity = capacity, .stall_ms = stall_ms,
		.queue_depth = KPOOL_UNLIMITED,
	};

	probes_init(p, MANY, fn);
	probes_hold(p, MANY);
	/* a kernel that cannot give a stack prints it itself, as it likes */
	pr_info("kpool-testbed: expect begin\n");
	pool = kt_pool("stall", &attrs);
	return pool;
}

static void stall_finish(void)
{
	probes_open(p, MANY);
	jobs_end(pool);
	pr_info("kpool-testbed: expect end\n");
}

static u64 stalled(void)
{
	return kt_stat(pool, stalled);
}

static bool stalls(u64 n)
{
	return KT_EXPECT(kt_wait(stalled() == n));
}

/* Lines that report a function's stall. */
#define seen(fn)	log_count("kpool: stall: " fn " ", "has run for")

/* Does this kernel know where a thread is? */
static bool stacks_can_be_had(void)
{
	unsigned long entry[4];

	return IS_ENABLED(CONFIG_STACKTRACE) &&
	       stack_trace_save(entry, ARRAY_SIZE(entry), 0);
}

static int stacks_shown(const char *fn)
{
	return log_count(fn, "+0x");
}

static int stacks_refused(void)
{
	return log_count("kpool:", "stack not available");
}

/* Start it on the last CPU, while the first has something to do. */
static bool start_on_last_cpu(void)
{
	/* one can have enough to do with the kernel's own work */
	if (num_online_cpus() < 3) {
		kt_skip("there is no other CPU to notice it");
		return false;
	}
	return KT_EXPECT_EQ(kpool_tune_cpumask(pool,
				cpumask_of(cpumask_last(cpu_online_mask))), 0);
}

/*
 * An item that sleeps for too long is reported by its function, with its stack,
 * and counted.  That happens once, however long it goes on, and again if it
 * stalls again.
 * Fails if the watchdog is not armed by the item, or if each look reports it
 * anew.  Also fails if a run of the same item is taken for the one before.
 */
static void sleeping_item_is_reported_once_a_run(void)
{
	int before = seen("sleeps_too_long");
	int first = stacks_shown("sleeps_too_long");
	int run, shown;

	if (!stall_make(1, STALL, sleeps_too_long))
		return;
	for (run = 1; run <= 3; run++) {
		shown = stacks_shown("sleeps_too_long");
		kt_gate_init(&p[0].own);
		probes_submit(pool, p, 1);
		if (!stalls(run) ||
		    !KT_EXPECT(kt_wait(seen("sleeps_too_long") == before + run)))
			break;
		kt_sleep_ms(4 * STALL);
		KT_EXPECT_EQ(stalled(), run);
		KT_EXPECT_EQ(seen("sleeps_too_long"), before + run);
		if (kt_exact && stacks_can_be_had())
			KT_EXPECT_GE(stacks_shown("sleeps_too_long"), shown + 1);
		probes_open(p, 1);
		KT_EXPECT_EQ(kpool_flush(pool), 0);
	}
	/* where time is real, one can have been looked at before it slept */
	if (stacks_can_be_had())
		KT_EXPECT(kt_wait(stacks_shown("sleeps_too_long") > first));
	KT_EXPECT_EQ(atomic_read(&p[0].ran), 3);
	stall_finish();
}

/*
 * The form with an argument is reported by the caller's function.
 * Fails if kpool's own wrapper is named.
 */
static void function_form_is_reported_by_the_callers_function(void)
{
	int before = seen("sleeps_too_long_by_argument");

	if (!stall_make(1, STALL, probe_fn))
		return;
	KT_EXPECT_EQ(kpool_submit_fn(pool, sleeps_too_long_by_argument,
				     &p[0].own, GFP_KERNEL), 0);
	if (stalls(1))
		KT_EXPECT(kt_wait(seen("sleeps_too_long_by_argument") ==
				  before + 1));
	stall_finish();
}

static bool spinner_is_shown(int run, int shown, int refused)
{
	if (!stalls(run))
		return false;
	/* in User Mode Linux a stack ends at the interrupt */
	return IS_ENABLED(CONFIG_UML) ||
	       KT_EXPECT(kt_wait(stacks_shown("spins_too_long") > shown ||
				 stacks_refused() > refused));
}

/* Run the spinner, and then once more if its stack could not be had. */
static bool spinner_is_to_run_again(int run)
{
	int shown = stacks_shown("spins_too_long"), refused = stacks_refused();
	bool shown_now;

	WRITE_ONCE(spin_on, true);
	probes_submit(pool, p, 1);
	shown_now = spinner_is_shown(run, shown, refused);
	WRITE_ONCE(spin_on, false);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	return shown_now && stacks_refused() > refused;
}

/*
 * An item that spins on another CPU is reported with its stack, which is taken
 * there, if that CPU answers in time.  On a machine that stands still it does
 * not, and the next run has to show it.
 * Fails if the stack of a running task is read from afar, or not at all.
 */
static void spinner_is_reported_with_its_stack(void)
{
	int run = 1;

	if (!stall_make(1, STALL, spins_too_long))
		return;
	if (start_on_last_cpu()) {
		while (run <= 20 && spinner_is_to_run_again(run))
			run++;
		KT_EXPECT(run <= 20 || !stacks_can_be_had());
	}
	stall_finish();
}

static noinline int never_sleeps(struct kpool_item *item)
{
	ktime_t end = spin_limit(15000);

	while (spins_on(end))
		cond_resched();
	return 0;
}

/*
 * An item that does not sleep, but lets others run, is reported on any number
 * of CPUs, each time.  Whether its stack can be had depends on what runs when
 * its CPU is asked.
 * Fails if only sleeping items are reported.
 */
static void busy_item_is_reported(void)
{
	int before = seen("never_sleeps");
	int run;

	if (kt_exact) {
		kt_skip("simulated time passes in sleep");
		return;
	}
	if (!stall_make(1, STALL, never_sleeps))
		return;
	for (run = 1; run <= 3; run++) {
		WRITE_ONCE(spin_on, true);
		probes_submit(pool, p, 1);
		if (!stalls(run) ||
		    !KT_EXPECT(kt_wait(seen("never_sleeps") == before + run)))
			break;
		WRITE_ONCE(spin_on, false);
		KT_EXPECT_EQ(kpool_flush(pool), 0);
	}
	WRITE_ONCE(spin_on, false);
	stall_finish();
}

/* Run two, by turns on one CPU.  Was the stack of one refused? */
static bool one_of_two_is_refused(int run)
{
	int before = stacks_refused();
	bool stalled_both;

	WRITE_ONCE(spin_on, true);
	probes_submit(pool, p, 2);
	stalled_both = stalls(2 * run);
	/* the stacks are taken then */
	kt_sleep_ms(2 * STALL);
	WRITE_ONCE(spin_on, false);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	return !stalled_both || stacks_refused() > before;
}

/*
 * Of two items that share a CPU, one does not run when the CPU is asked, now
 * and then.
 * Fails if the stack of any thread that runs there is taken: mutant
 * stack-of-any-thread.
 */
static void stack_of_another_thread_is_not_taken(void)
{
	const struct cpumask *last = cpumask_of(cpumask_last(cpu_online_mask));
	int run = 1;

	if (kt_exact) {
		kt_skip("simulated time passes in sleep");
		return;
	}
	if (!stall_make(2, STALL, never_sleeps))
		return;
	KT_EXPECT_EQ(kpool_tune_cpumask(pool, last), 0);
	while (run <= 23 && !one_of_two_is_refused(run))
		run++;
	KT_EXPECT(run <= 23 || !stacks_can_be_had());
	stall_finish();
}

/* Sleep too shortly for a CPU to give up its tick. */
static int keeps_the_first_cpu_busy(void *unused)
{
	while (READ_ONCE(spin_on))
		usleep_range(50, 100);
	return 0;
}

/*
 * An item of another pool stalls on the second CPU.  The last one does not
 * answer until @end.
 */
static struct kpool *begin_another_stall(int refused, ktime_t end)
{
	const struct kpool_attrs attrs = {
		.capacity = 1, .stall_ms = STALL, .cpumask = cpumask_of(1),
	};
	int shown = stacks_shown("kpool:   ");
	struct kpool *too = kt_pool("stall-too", &attrs);

	if (!too)
		return NULL;
	probe_init(&p[1], never_sleeps, 1);
	probes_submit(too, &p[1], 1);
	KT_EXPECT(kt_wait(stacks_refused() > refused ||
			  stacks_shown("kpool:   ") > shown));
	if (ktime_before(ktime_get(), end))
		KT_EXPECT_EQ(stacks_refused(), refused + 1);
	return too;
}

/*
 * An item that spins with interrupts off is reported without a stack: its CPU
 * cannot be asked.  The first CPU is kept busy all the time, so that it is the
 * one that keeps the time.  Until it has answered, no other CPU is asked.
 * Fails if the answer is waited for without limit (it comes when the item
 * ends), or if the request is used again.
 */
static void spinner_with_interrupts_off_has_no_stack(void)
{
	int before = stacks_refused();
	struct kt_thread busy = { };
	struct kpool *too = NULL;
	ktime_t end;

	if (!stall_make(1, STALL, spins_with_interrupts_off))
		return;
	spin_on = true;
	if (start_on_last_cpu() &&
	    kt_thread_start(&busy, keeps_the_first_cpu_busy, NULL)) {
		set_cpus_allowed_ptr(busy.task, cpumask_of(0));
		/* on the item's CPU the case would sleep until the item ends */
		set_cpus_allowed_ptr(current, cpumask_of(1));
		kt_sleep_ms(50);
		end = spin_limit(SPIN_MS);
		probes_submit(pool, p, 1);
		stalls(1);
		KT_EXPECT(kt_wait(stacks_refused() == before + 1));
		KT_EXPECT_EQ(kt_stat(pool, running), 1);
		too = begin_another_stall(before + 1, end);
		set_cpus_allowed_ptr(current, cpu_possible_mask);
	}
	WRITE_ONCE(spin_on, false);
	kt_thread_join(&busy);
	kt_pool_end(too);
	stall_finish();
}

/* Eight in full and a number, or, in several looks, all of them in full. */
static bool many_are_reported(int in_full)
{
	return in_full == MANY ||
	       (in_full >= 8 &&
		log_count("kpool: stall: ", "more items have run"));
}

static int four_others(void)
{
	return log_count("kpool: stall: 4 more items", "have run for too long");
}

/*
 * Many at a time: all are counted, eight are reported in full, and how many
 * more there are.
 * Fails if one look finds one stall, floods the log, or counts wrongly: mutants
 * stall-nine-in-full, stall-others-with-the-first.
 */
static void many_are_counted(void)
{
	int before = seen("sleeps_too_long"), others = four_others();

	if (!stall_make(MANY, 4 * STALL, sleeps_too_long))
		return;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, p, MANY);
	kpool_resume(pool);
	stalls(MANY);
	KT_EXPECT(kt_wait(many_are_reported(seen("sleeps_too_long") -
					    before)));
	/* there is one look */
	if (kt_exact) {
		KT_EXPECT_EQ(seen("sleeps_too_long") - before, 8);
		KT_EXPECT_EQ(four_others(), others + 1);
	}
	stall_finish();
}

static int notes_its_thread(struct kpool_item *item)
{
	probe_of(item)->data = current;
	return probe_fn(item);
}

static int thread_refs(int n)
{
	int i, refs = 0;

	for (i = 0; i < n; i++)
		refs += refcount_read(&((struct task_struct *)p[i].data)->usage);
	return refs;
}

/*
 * As many as are reported in full.
 * Fails if the log goes on with the number of others, which is 0, mutant
 * stall-no-others-counted, or if the report keeps a thread.
 */
static void eight_stalls_are_reported_without_others(void)
{
	int others = log_count("kpool: stall: ", "more items have run");
	int i, refs;

	if (!stall_make(8, KPOOL_NO_STALL, notes_its_thread))
		return;
	probes_submit(pool, p, 8);
	for (i = 0; i < 8; i++)
		probe_runs(&p[i]);
	kt_sleep_ms(50);
	refs = thread_refs(8);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_STALL_MS, 10), 0);
	stalls(8);
	/* the line would be logged after the stalls are counted */
	kt_sleep_ms(50);
	KT_EXPECT_EQ(log_count("kpool: stall: ", "more items have run"), others);
	KT_EXPECT(kt_wait(thread_refs(8) == refs));
	stall_finish();
}

/*
 * By default nothing is reported; what is tuned holds for what runs already.
 * Fails if the default is a time, or if the watchdog keeps the period it had.
 */
static void stall_time_is_tunable(void)
{
	if (!stall_make(1, 0, sleeps_too_long))
		return;
	probes_submit(pool, p, 1);
	probe_runs(&p[0]);
	kt_sleep_ms(kt_ms(3600 * 1000, 200));
	KT_EXPECT_EQ(stalled(), 0);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_STALL_MS, STALL), 0);
	stalls(1);
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_STALL_MS, KPOOL_NO_STALL), 0);
	kt_gate_init(&p[0].own);
	probes_submit(pool, p, 1);
	kt_sleep_ms(kt_ms(3600 * 1000, 200));
	KT_EXPECT_EQ(stalled(), 1);
	stall_finish();
}

static s64 started_at;

static int notes_its_start(struct kpool_item *item)
{
	started_at = ktime_get_ns();
	return probe_fn(item);
}

static void sleep_until_ms(s64 ms)
{
	ktime_t end = ns_to_ktime(started_at + ms * NSEC_PER_MSEC);

	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule_hrtimeout(&end, HRTIMER_MODE_ABS);
}

/*
 * The stall is reported no sooner than the stall time, and soon after.
 * Fails if the time is counted from the submit, or rounded down.
 */
static void stall_is_reported_in_time(void)
{
	if (!kt_exact) {
		kt_skip("time is not simulated");
		return;
	}
	if (!stall_make(1, 8000, notes_its_start))
		return;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	probes_submit(pool, p, 1);
	kt_sleep_ms(20000);
	kpool_resume(pool);
	probe_runs(&p[0]);
	sleep_until_ms(7900);
	KT_EXPECT_EQ(stalled(), 0);
	sleep_until_ms(9300);
	KT_EXPECT_EQ(stalled(), 1);
	stall_finish();
}

/*
 * An eighth, but no more than a second, the grain of the timer wheel, and a
 * tick at each end.
 */
static s64 latest_ms(s64 ms)
{
	s64 period = min(ms / 8, (s64)MSEC_PER_SEC);

	return ms + period + period / 8 + 2 * MSEC_PER_SEC / HZ;
}

/* Not before it has run for @ms; then, in time. */
static void expect_noticed(s64 ms, u64 before)
{
	sleep_until_ms(ms);
	KT_EXPECT_EQ(stalled(), before);
	sleep_until_ms(latest_ms(ms));
	if (!KT_EXPECT_EQ(stalled(), before + 1))
		pr_err("%s: not noticed in time: %lld ms\n", KBUILD_MODNAME, ms);
}

static void stall_is_noticed_by(int ms, int phase_ms)
{
	if (!stall_make(1, ms, notes_its_start))
		return;
	/* this one arms the watchdog */
	probes_open(p, 1);
	probes_submit(pool, p, 1);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	kt_sleep_ms(phase_ms);
	probes_submit(pool, p + 1, 1);
	probe_runs(&p[1]);
	expect_noticed(ms, 0);
	stall_finish();
}

/*
 * A stall is noticed at most an eighth or a second late, for each stall time,
 * and wherever between two looks the item starts.
 * Fails if the watchdog comes once in the stall time, or seldom for a long one:
 * mutant stall-seldom-looked-for.
 */
static void stall_is_noticed_within_an_eighth(void)
{
	static const int times[] = {
		80, 160, 400, 1000, 2500, 5000, 5120, 8000, 18000, 61000,
	};
	int i;

	if (!kt_exact) {
		kt_skip("time is not simulated");
		return;
	}
	for (i = 0; i < ARRAY_SIZE(times); i++) {
		stall_is_noticed_by(times[i], 0);
		stall_is_noticed_by(times[i], times[i] / 20 + 1);
		stall_is_noticed_by(times[i], times[i] / 9);
	}
}

/*
 * A shorter stall time holds for what runs already, in its own measure.
 * Fails if the watchdog keeps the period it had: mutant stall-tune-not-applied.
 */
static void shorter_stall_time_applies_at_once(void)
{
	static const int from[] = { KPOOL_NO_STALL, 8000, 1000 };
	int i;

	if (!kt_exact) {
		kt_skip("time is not simulated");
		return;
	}
	for (i = 0; i < ARRAY_SIZE(from); i++) {
		if (!stall_make(1, from[i], notes_its_start))
			return;
		probes_submit(pool, p, 1);
		probe_runs(&p[0]);
		kt_sleep_ms(30);
		KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_STALL_MS, 80), 0);
		expect_noticed(80, 0);
		stall_finish();
	}
}

/*
 * The first item of a worker is reported, although its memory is that of one
 * that has gone, whose first item was reported as well.
 * Fails if the memory keeps that: mutant stall-reported-by-the-last.
 */
static void first_stall_of_a_new_worker_is_reported(void)
{
	int before = seen("sleeps_too_long");
	int i;

	if (!stall_make(1, STALL, sleeps_too_long))
		return;
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_EXPIRY_MS, 1), 0);
	for (i = 1; i <= 2; i++) {
		kt_gate_init(&p[0].own);
		probes_submit(pool, p, 1);
		if (!stalls(i))
			break;
		KT_EXPECT(kt_wait(seen("sleeps_too_long") == before + i));
		probes_open(p, 1);
		KT_EXPECT(kt_wait(!kt_stat(pool, alive)));
	}
	KT_EXPECT_EQ(kt_stat(pool, spawned), i - 1);
	stall_finish();
}

static atomic_t seen_reported, seen_locked;

/* Is the mutex held while a line is written that reports a stall? */
static void look_at_mutex(void *unused, const char *text, size_t len)
{
	if (!strnstr(text, "kpool: stall: ", len))
		return;
	atomic_inc(&seen_reported);
	if (mutex_is_locked(&pool->mutex))
		atomic_inc(&seen_locked);
}

/*
 * While stalls are reported, which can take a while, workers can be made.
 * Fails if the stacks are taken under the mutex that a new worker needs.
 */
static void pool_can_grow_while_stalls_are_reported(void)
{
	struct trace trace = { .name = "console", .probe = look_at_mutex };
	int before = seen("sleeps_too_long");

	atomic_set(&seen_reported, 0);
	atomic_set(&seen_locked, 0);
	if (!stall_make(2, STALL, sleeps_too_long))
		return;
	if (trace_begin(&trace)) {
		probes_submit(pool, p, 2);
		stalls(2);
		KT_EXPECT(kt_wait(seen("sleeps_too_long") == before + 2));
		trace_end(&trace);
	}
	KT_EXPECT_GE(atomic_read(&seen_reported), 2);
	KT_EXPECT_EQ(atomic_read(&seen_locked), 0);
	stall_finish();
}

static int takes_a_while(struct kpool_item *item)
{
	kt_sleep_ms(300);
	return probe_fn(item);
}

/*
 * Items that each take less than that are never reported, however long the pool
 * is at it.
 * Fails if the time of a worker's last idle period is taken for that of its
 * item: mutant stall-since-last-idle.
 */
static void busy_pool_does_not_stall(void)
{
	if (!kt_exact) {
		kt_skip("time is not simulated");
		return;
	}
	if (!stall_make(1, 1000, takes_a_while))
		return;
	probes_open(p, MANY);
	probes_submit(pool, p, MANY);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(stalled(), 0);
	stall_finish();
}

/*
 * The time of an item that a worker goes on with begins with that item.
 * Fails if it is that of the item before: mutant fast-start-keeps-its-time.
 */
static void stall_time_begins_with_each_item(void)
{
	if (!kt_exact) {
		kt_skip("time is not simulated");
		return;
	}
	if (!stall_make(1, KPOOL_NO_STALL, probe_fn))
		return;
	probes_submit(pool, p, 2);
	probe_runs(&p[0]);
	kt_sleep_ms(300);
	probes_open(p, 1);
	probe_runs(&p[1]);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_STALL_MS, 200), 0);
	kt_sleep_ms(100);
	KT_EXPECT_EQ(stalled(), 0);
	stall_finish();
}

/*
 * A worker that is idle beside one that stalls has nothing to report.
 * Fails if its time alone decides: mutant idle-worker-stalls.
 */
static void idle_worker_does_not_stall(void)
{
	if (!stall_make(2, 100, probe_fn))
		return;
	probes_submit(pool, p, 2);
	probe_runs(&p[0]);
	probe_runs(&p[1]);
	probes_open(p, 1);
	KT_EXPECT(kt_wait(kt_stat(pool, idle) == 1));
	KT_EXPECT(kt_wait(stalled()));
	kt_sleep_ms(300);
	KT_EXPECT_LE(stalled(), kt_exact ? 1 : 2);
	stall_finish();
}

/*
 * A worker that gives way to its caller has no item, and the one before is not
 * reported again.  It gives way to this thread, which has the higher priority,
 * and is the last to get the CPU, after the watchdog.
 * Fails if it counts as one that runs: mutant yielding-worker-stalls.
 */
static void yielding_worker_does_not_stall(void)
{
	struct kpool_worker *worker;

	if (!stall_make(1, STALL, sleeps_too_long))
		return;
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_POLICY, KPOOL_POLICY_IDLE), 0);
	probes_submit(pool, p, 1);
	if (stalls(1)) {
		sched_set_fifo(current);
		probes_open(p, 1);
		KT_EXPECT_EQ(kpool_flush_item(&p[0].job.item), 0);
		worker = list_first_entry(&pool->mgr.workers,
					  struct kpool_worker, member);
		/* on another CPU it would come to that later */
		if (kt_exact)
			KT_EXPECT_EQ(worker->state, KPOOL_WORKER_WAKING);
		/* the watchdog looks at once */
		KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_STALL_MS, STALL + 1), 0);
		sched_set_normal(current, 0);
		kt_sleep_ms(4 * STALL);
		KT_EXPECT_EQ(stalled(), 1);
	}
	stall_finish();
}

static struct kt_gate handler;

static void held_in_handler(void *data, const struct kpool_fault *fault)
{
	kt_gate_pass(&handler);
}

static int ends_its_thread(struct kpool_item *item)
{
	probe_fn(item);
	kthread_complete_and_exit(NULL, 0);
	return 0;
}

/*
 * Two threads die, and the handler takes long for the first: the second is no
 * longer running.
 * Fails if it counts as one that is: mutant dead-thread-stalls.
 */
static void dead_thread_does_not_stall(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .stall_ms = 4 * STALL, .fault = held_in_handler,
	};

	kt_gate_init(&handler);
	probes_init(p, 2, ends_its_thread);
	pr_info("kpool-testbed: expect begin\n");
	pool = kt_pool("stall", &attrs);
	if (pool) {
		probes_submit(pool, p, 2);
		KT_EXPECT(kt_wait(atomic_read(&handler.started) == 1));
		kt_sleep_ms(16 * STALL);
		KT_EXPECT_EQ(stalled(), 0);
		kt_gate_open(&handler);
		KT_EXPECT(kt_wait(kt_stat(pool, died) == 2));
	}
	stall_finish();
}

static noinline int submits_a_dying_one(struct kpool_item *item)
{
	return kpool_submit(pool, &p[3].job.item);
}

/* Have a submitter run the item, and die in it. */
static bool submitter_dies(struct kpool_item *item)
{
	struct kt_submitter s;

	if (!kt_submitter_start(&s, pool, item))
		return false;
	KT_EXPECT(kt_wait(READ_ONCE(s.thread.task->exit_state)));
	put_task_struct(s.thread.task);
	return true;
}

/*
 * As above, with submitters: the second dies in an item that it runs inside
 * another.
 * Fails if the inner one counts as running: mutant
 * dead-submitter-stalls-inside.
 */
static void dead_submitter_does_not_stall(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .stall_ms = 4 * STALL, .fault = held_in_handler,
		.when_full = KPOOL_FULL_CALLER_RUNS,
	};

	kt_gate_init(&handler);
	probes_init(p, 4, ends_its_thread);
	probe_init(&p[0], probe_fn, 0);
	probes_hold(p, 1);
	kpool_init_item(&p[2].job.item, submits_a_dying_one);
	pr_info("kpool-testbed: expect begin\n");
	pool = kt_pool("stall", &attrs);
	/* the only unit, whose worker alone stalls */
	if (pool && probes_submit(pool, p, 1) && stalls(1) &&
	    submitter_dies(&p[1].job.item)) {
		KT_EXPECT(kt_wait(atomic_read(&handler.started) == 1));
		submitter_dies(&p[2].job.item);
		kt_sleep_ms(16 * STALL);
		KT_EXPECT_EQ(stalled(), 1);
		kt_gate_open(&handler);
		KT_EXPECT(kt_wait(kt_stat(pool, caller_ran) == 3));
	}
	stall_finish();
}

/* As many as are remembered, and two more, one after the other. */
static void six_stalls_last(void)
{
	int i;

	if (!stall_make(MANY, STALL, sleeps_too_long))
		return;
	for (i = 0; i < 6; i++) {
		probes_submit(pool, &p[i], 1);
		stalls(i + 1);
	}
}

/* Memory that is allocated next for a stall has text in it. */
static void leave_text_in_memory(void)
{
	struct kpool_stall *memory[32];
	int i;

	for (i = 0; i < ARRAY_SIZE(memory); i++) {
		memory[i] = kzalloc_obj(*memory[i], GFP_KERNEL);
		if (memory[i])
			memset(memory[i], 'x', sizeof(*memory[i]));
	}
	while (i--)
		kfree(memory[i]);
}

/*
 * The script looks between these two, to see what a person sees.
 * Fails if a stack that is not available is what was in memory: mutant
 * stall-without-a-stack-has-another.
 */
static void a_stall_lasts(void)
{
	if (!stall_make(1, STALL, sleeps_too_long))
		return;
	leave_text_in_memory();
	probes_submit(pool, p, 1);
	stalls(1);
}

static void a_stall_ends(void)
{
	if (pool)
		stall_finish();
}

/* In the default pool, which remembers it when this module has gone. */
static void stall_of_an_unloaded_module_is_kept(void)
{
	struct kpool *shared = kpool_default();
	u64 before = kt_stat(shared, stalled);

	pr_info("kpool-testbed: expect begin\n");
	probe_init(p, sleeps_too_long, 0);
	probes_hold(p, 1);
	KT_EXPECT_EQ(kpool_tune(shared, KPOOL_TUNE_STALL_MS, STALL), 0);
	KT_EXPECT_EQ(kpool_submit(shared, &p->job.item), 0);
	KT_EXPECT(kt_wait(kt_stat(shared, stalled) > before));
	probes_open(p, 1);
	KT_EXPECT_EQ(kpool_flush(shared), 0);
	KT_EXPECT_EQ(kpool_tune(shared, KPOOL_TUNE_STALL_MS, 0), 0);
	/* the stall is counted before its stack is logged; this pool stays */
	msleep(1000);
	pr_info("kpool-testbed: expect end\n");
}

/* Submitters that run their items */

static int submits_stalling(void *item)
{
	return kpool_submit(pool, item);
}

/* Runs another item in the same way, which stalls. */
static noinline int submits_a_stalling_one(struct kpool_item *item)
{
	return kpool_submit(pool, &p[1].job.item);
}

static void drops_too_long(struct kpool_item *item, int err)
{
	kt_sleep_ms(4 * STALL);
}

/*
 * An item that its submitter runs is reported as one in a worker is, and so is
 * one that it is nested in.  A drop function is not.
 * Fails if only workers are looked at, if a run is taken for the one before, or
 * if another thread is named: mutant submitters-stall-in-another-thread.
 */
static void item_of_a_submitter_is_reported_once_a_run(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .stall_ms = STALL,
		.when_full = KPOOL_FULL_CALLER_RUNS,
	};
	int inner = seen("sleeps_too_long"), outer = seen("submits_a_stalling_one");
	struct kt_thread submitter;
	char thread[32];
	int run;

	probes_init(p, 3, sleeps_too_long);
	probes_hold(p, 3);
	kpool_init_item(&p[2].job.item, submits_a_stalling_one);
	pr_info("kpool-testbed: expect begin\n");
	pool = kt_pool("stall", &attrs);
	/* the only unit, whose worker is the first to stall */
	if (!pool || !probes_submit(pool, p, 1) || !stalls(1))
		goto out;
	for (run = 1; run <= 2; run++) {
		kt_gate_init(&p[1].own);
		kt_thread_start(&submitter, submits_stalling, &p[2].job.item);
		snprintf(thread, sizeof(thread), "in thread %d",
			 task_pid_nr(submitter.task));
		stalls(1 + 2 * run);
		/* they are printed afterwards */
		KT_EXPECT(kt_wait(seen("sleeps_too_long") > inner + run &&
				  seen("submits_a_stalling_one") >= outer + run));
		kt_sleep_ms(4 * STALL);
		KT_EXPECT_EQ(stalled(), 1 + 2 * run);
		KT_EXPECT_EQ(seen("sleeps_too_long"), inner + 1 + run);
		KT_EXPECT_EQ(seen("submits_a_stalling_one"), outer + run);
		KT_EXPECT(log_count("kpool: stall: sleeps_too_long ", thread));
		probes_open(&p[1], 1);
		KT_EXPECT_EQ(kt_thread_join(&submitter), 0);
	}
out:
	stall_finish();
}

static int takes_half_of_it(struct kpool_item *item)
{
	kt_sleep_ms(100);
	return 0;
}

/*
 * The time of an item that its submitter runs begins with that item.
 * Fails if it is that of an earlier one in the same memory: mutant
 * submitter-run-keeps-its-time.
 */
static void stall_time_begins_with_each_item_of_a_submitter(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .stall_ms = 200,
		.when_full = KPOOL_FULL_CALLER_RUNS,
	};
	int i;

	if (!kt_exact) {
		kt_skip("time is not simulated");
		return;
	}
	probes_init(p, 2, probe_fn);
	kpool_init_item(&p[1].job.item, takes_half_of_it);
	probes_hold(p, 1);
	pr_info("kpool-testbed: expect begin\n");
	pool = kt_pool("stall", &attrs);
	/* the only unit, whose worker alone stalls */
	if (pool && probes_submit(pool, p, 1) && stalls(1))
		for (i = 0; i < 4; i++)
			KT_EXPECT_EQ(kpool_submit(pool, &p[1].job.item), 0);
	KT_EXPECT_EQ(stalled(), 1);
	KT_EXPECT_EQ(kt_stat(pool, caller_ran), 4);
	stall_finish();
}

static noinline int submits_halves(struct kpool_item *item)
{
	int i, err = 0;

	for (i = 0; i < 5 && !err; i++)
		err = kpool_submit(pool, &p[1].job.item);
	return err;
}

/*
 * An item that its submitter runs has short ones run in the same way, one after
 * the other.
 * Fails if only the innermost run of a thread is looked at: mutant
 * nested-run-hides-a-stall.
 */
static void stall_around_short_items_is_reported(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .stall_ms = 200,
		.when_full = KPOOL_FULL_CALLER_RUNS,
	};
	int before = seen("submits_halves");

	if (!kt_exact) {
		kt_skip("time is not simulated");
		return;
	}
	probes_init(p, 3, probe_fn);
	kpool_init_item(&p[1].job.item, takes_half_of_it);
	kpool_init_item(&p[2].job.item, submits_halves);
	probes_hold(p, 1);
	pr_info("kpool-testbed: expect begin\n");
	pool = kt_pool("stall", &attrs);
	if (pool && probes_submit(pool, p, 1) && stalls(1))
		KT_EXPECT_EQ(kpool_submit(pool, &p[2].job.item), 0);
	KT_EXPECT_EQ(stalled(), 2);
	KT_EXPECT_EQ(seen("submits_halves"), before + 1);
	stall_finish();
}

/*
 * The stall of an item that its submitter runs is noticed in time, too.
 * Fails if it is reported in the tick in which it has not run for that long.
 */
static void stall_of_a_submitter_is_noticed_in_time(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .stall_ms = 80,
		.when_full = KPOOL_FULL_CALLER_RUNS,
	};
	struct kt_thread submitter = { };

	if (!kt_exact) {
		kt_skip("time is not simulated");
		return;
	}
	probes_init(p, 2, notes_its_start);
	probes_hold(p, 2);
	pr_info("kpool-testbed: expect begin\n");
	pool = kt_pool("stall", &attrs);
	/* the only unit, whose worker is the first to stall */
	if (pool && probes_submit(pool, p, 1) && stalls(1) &&
	    kt_thread_start(&submitter, submits_stalling, &p[1].job.item) &&
	    probe_runs(&p[1]))
		expect_noticed(80, 1);
	probes_open(p, 2);
	kt_thread_join(&submitter);
	stall_finish();
}

/* Fails if each external run counts as that of an item. */
static void long_drop_function_is_no_stall(void)
{
	if (!stall_make(1, STALL, probe_fn))
		return;
	kpool_set_drop_fn(&p[0].job.item, drops_too_long);
	kpool_pause(pool);
	probes_submit(pool, p, 1);
	KT_EXPECT_EQ(kpool_abort(pool), 1);
	KT_EXPECT_EQ(stalled(), 0);
	stall_finish();
}

KT_MODULE("kpool selftest: items that run for too long",
	  KT_CASE(sleeping_item_is_reported_once_a_run),
	  KT_CASE(function_form_is_reported_by_the_callers_function),
	  KT_CASE(item_of_a_submitter_is_reported_once_a_run),
	  KT_CASE(stall_time_begins_with_each_item_of_a_submitter),
	  KT_CASE(stall_around_short_items_is_reported),
	  KT_CASE(stall_of_a_submitter_is_noticed_in_time),
	  KT_CASE(long_drop_function_is_no_stall),
	  KT_CASE(spinner_is_reported_with_its_stack),
	  KT_CASE(busy_item_is_reported),
	  KT_CASE(stack_of_another_thread_is_not_taken),
	  KT_CASE(spinner_with_interrupts_off_has_no_stack),
	  KT_CASE(many_are_counted),
	  KT_CASE(eight_stalls_are_reported_without_others),
	  KT_CASE(stall_time_is_tunable),
	  KT_CASE(stall_is_reported_in_time),
	  KT_CASE(stall_is_noticed_within_an_eighth),
	  KT_CASE(shorter_stall_time_applies_at_once),
	  KT_CASE(first_stall_of_a_new_worker_is_reported),
	  KT_CASE(pool_can_grow_while_stalls_are_reported),
	  KT_CASE(busy_pool_does_not_stall),
	  KT_CASE(stall_time_begins_with_each_item),
	  KT_CASE(idle_worker_does_not_stall),
	  KT_CASE(yielding_worker_does_not_stall),
	  KT_CASE(dead_thread_does_not_stall),
	  KT_CASE(dead_submitter_does_not_stall),
	  KT_CASE(a_stall_lasts),
	  KT_CASE(a_stall_ends),
	  KT_CASE(six_stalls_last),
	  KT_CASE(a_stall_ends),
	  KT_CASE(stall_of_an_unloaded_module_is_kept));
