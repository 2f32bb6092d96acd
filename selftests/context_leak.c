// SPDX-License-Identifier: GPL-2.0-only
/*
 * An item that returns with a changed context is reported by its function,
 * and its worker, or the submitter that runs it, goes on.
 */
#include <linux/irq_work.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>

#include "log.h"

#define REPORT	"kpool: report: "

/* How deep some items leave what nests. */
#define NESTED	3

/* Where the items run. */
static const char *const runners[] = { "worker", "submitter", NULL };
enum { WORKER, SUBMITTER };

static struct kpool *pool;
static struct kt_gate gate;

/* Occupies the worker, where a submitter is to run the items. */
static struct kt_job occupant;
static struct kt_gate occupied;

static int leaves_preemption_off(struct kpool_item *item)
{
	preempt_disable();
	return 0;
}

static int leaves_interrupts_off(struct kpool_item *item)
{
	local_irq_disable();
	return 0;
}

static int leaves_rcu_section_open(struct kpool_item *item)
	__acquires(RCU)
{
	rcu_read_lock();
	return 0;
}

static int leaves_preemption_off_often(struct kpool_item *item)
{
	int i;

	for (i = 0; i < NESTED; i++)
		preempt_disable();
	return 0;
}

static int leaves_rcu_sections_open(struct kpool_item *item)
{
	int i;

	for (i = 0; i < NESTED; i++)
		leaves_rcu_section_open(item);
	return 0;
}

static int rcu_depth_found;

static void find_rcu_depth(struct irq_work *work)
{
	rcu_depth_found = rcu_preempt_depth();
}

static DEFINE_IRQ_WORK(rcu_depth_work, find_rcu_depth);

static int closes_rcu_section(struct kpool_item *item)
	__releases(RCU)
{
	rcu_read_unlock();
	return 0;
}

/* Interrupts are off, as a tick that finds the section closed warns. */
static int closes_rcu_section_of_others(struct kpool_item *item)
{
	int i;

	local_irq_disable();
	irq_work_queue(&rcu_depth_work);
	for (i = 0; i < NESTED; i++)
		closes_rcu_section(item);
	return 0;
}

static int leaves_noio(struct kpool_item *item)
{
	memalloc_noio_save();
	return 0;
}

static int leaves_nofs(struct kpool_item *item)
{
	memalloc_nofs_save();
	return 0;
}

static int leaves_noio_and_nofs(struct kpool_item *item)
{
	leaves_noio(item);
	return leaves_nofs(item);
}

static int leaves_noreclaim(struct kpool_item *item)
{
	memalloc_noreclaim_save();
	return 0;
}

static int leaves_throttle(struct kpool_item *item)
{
	current->flags |= PF_LOCAL_THROTTLE;
	return 0;
}

static int leaves_pin(struct kpool_item *item)
{
	memalloc_pin_save();
	return 0;
}

static int ends_noio(struct kpool_item *item)
{
	current->flags &= ~PF_MEMALLOC_NOIO;
	return 0;
}

/* The context in which the fault handler was called. */
static atomic_t handled;
static bool handled_in_order;

static void notes_its_context(void *data, const struct kpool_fault *fault)
{
	handled_in_order = !irqs_disabled() && !preempt_count();
	atomic_inc(&handled);
}

static int fails_with_interrupts_off(struct kpool_item *item)
{
	local_irq_disable();
	return -EIO;
}

static int leaves_interrupts_off_by_argument(void *arg)
{
	local_irq_disable();
	return 0;
}

static DEFINE_MUTEX(left_locked);

static int leaves_mutex_locked(struct kpool_item *item)
{
	mutex_lock(&left_locked);
	return 0;
}

static int unlocks_mutex(struct kpool_item *item)
{
	mutex_unlock(&left_locked);
	return 0;
}

/* The flags that limit allocations, as an item finds them. */
static unsigned int flags_found;

static int finds_all_in_order(struct kpool_item *item)
{
	KT_EXPECT_EQ(preempt_count(), 0);
	KT_EXPECT(!irqs_disabled());
	KT_EXPECT_EQ(rcu_preempt_depth(), 0);
	might_sleep();
	flags_found = current->flags &
		      (PF_MEMALLOC | PF_MEMALLOC_NOIO | PF_MEMALLOC_NOFS |
		       PF_LOCAL_THROTTLE);
	return kt_job_tiny(item);
}

/* Submit it: it has run when this returns. */
static void run(kpool_item_fn fn)
{
	static struct kt_job job;

	kt_job_init(&job, fn, &gate, 0);
	KT_EXPECT_EQ(kpool_submit(pool, &job.item), 0);
	KT_EXPECT_EQ(kpool_flush_item(&job.item), 0);
}

static bool report_pool(int runner)
{
	const struct kpool_attrs attrs = {
		.capacity = 1, .expiry_ms = KPOOL_NO_PURGE,
		.when_full = runner == SUBMITTER ? KPOOL_FULL_CALLER_RUNS : 0,
		.fault = notes_its_context,
	};

	kt_gate_init(&gate);
	kt_gate_init(&occupied);
	atomic_set(&handled, 0);
	pool = kt_pool("report", &attrs);
	if (!pool)
		return false;
	if (runner == WORKER)
		return true;
	kt_job_init(&occupant, kt_job_gated, &occupied, 0);
	KT_EXPECT_EQ(kpool_submit(pool, &occupant.item), 0);
	return KT_EXPECT(kt_wait(atomic_read(&occupied.started)));
}

static void report_end(void)
{
	kt_gate_open(&occupied);
	KT_EXPECT_EQ(kt_stat(pool, spawned), 1);
	kt_pool_end(pool);
}

/* Run @fn; the log must then name it with @what, and all be as before. */
static void expect_report(int runner, kpool_item_fn fn, const char *name,
			  const char *what)
{
	int before = log_count(name, "returned with");

	if (!report_pool(runner))
		return;
	run(fn);
	KT_EXPECT_EQ(log_count(name, "returned with"), before + 1);
	KT_EXPECT_GE(log_count(name, what), 1);
	run(finds_all_in_order);
	KT_EXPECT_EQ(flags_found, 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 1);
	if (runner == SUBMITTER)
		KT_EXPECT_EQ(kt_stat(pool, caller_ran), 2);
	report_end();
}

/*
 * The context is put right before the owner's next function is called.
 * Fails if the fault handler comes first: mutants handler-before-leak-undone,
 * submitters-handler-before-leak-undone.
 */
static void handler_is_called_in_order(int runner)
{
	expect_report(runner, fails_with_interrupts_off,
		      REPORT "fails_with_interrupts_off ", "interrupts off");
	KT_EXPECT_EQ(atomic_read(&handled), 1);
	KT_EXPECT(handled_in_order);
}

static atomic_t released;
static bool released_in_order;

static int call_leaves_interrupts_off(void *leaving)
{
	kt_gate_pass(leaving);
	local_irq_disable();
	return 0;
}

static void notes_its_release(void *leaving)
{
	released_in_order = !irqs_disabled();
	atomic_inc(&released);
}

/*
 * Fails if the call is released before, or the locks of its run are reported:
 * mutants release-before-leak-undone, locks-of-a-call-leaked.
 */
static void release_is_called_in_order(void)
{
	static const char name[] = REPORT "call_leaves_interrupts_off ";
	int before = log_count(name, "returned with");
	static struct kt_gate leaving;
	int calls = 0;

	kt_gate_init(&leaving);
	if (!report_pool(WORKER))
		return;
	run(finds_all_in_order);
	do {
		/* one that has not started by then is released here */
		atomic_set(&released, 0);
		KT_EXPECT_EQ(kpool_call_timeout(pool, call_leaves_interrupts_off,
						&leaving, notes_its_release,
						HZ / 10 + 1, NULL), -ETIMEDOUT);
	} while (!kt_stat(pool, abandoned) && ++calls < 100);
	KT_EXPECT_EQ(atomic_read(&released), 0);
	kt_gate_open(&leaving);
	KT_EXPECT(kt_wait(atomic_read(&released)));
	KT_EXPECT(released_in_order);
	run(finds_all_in_order);
	KT_EXPECT_EQ(log_count(name, "returned with"), before + 1);
	report_end();
}

static bool counts_preemption(void)
{
	if (!IS_ENABLED(CONFIG_PREEMPT_COUNT))
		kt_skip("this kernel does not count preemption");
	return IS_ENABLED(CONFIG_PREEMPT_COUNT);
}

/*
 * Fails if the preemption count is not compared, or left: the next sleep would
 * be "scheduling while atomic".
 */
static void changed_preemption_count_is_reported(int runner)
{
	if (counts_preemption())
		expect_report(runner, leaves_preemption_off,
			      REPORT "leaves_preemption_off ",
			      "a changed preemption count");
}

/* Fails if one of several is put right. */
static void nested_preemption_counts_are_put_right(int runner)
{
	if (counts_preemption())
		expect_report(runner, leaves_preemption_off_often,
			      REPORT "leaves_preemption_off_often",
			      "a changed preemption count");
}

/* Fails if the context is not checked, or goes on with interrupts off. */
static void interrupts_off_are_reported(int runner)
{
	expect_report(runner, leaves_interrupts_off,
		      REPORT "leaves_interrupts_off ", "interrupts off");
}

static int leaves_two_things(struct kpool_item *item)
{
	preempt_disable();
	local_irq_disable();
	return 0;
}

static void expect_two_reports(int runner, kpool_item_fn fn, const char *name,
			       const char *what)
{
	int interrupts = log_count(name, "interrupts off");
	int others = log_count(name, what);

	if (!report_pool(runner))
		return;
	run(fn);
	KT_EXPECT_EQ(log_count(name, "interrupts off"), interrupts + 1);
	KT_EXPECT_EQ(log_count(name, what), others + 1);
	run(finds_all_in_order);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 1);
	report_end();
}

/* Fails if only the first of two is reported: mutant second-leak-unreported. */
static void each_of_two_leaks_is_reported(int runner)
{
	if (counts_preemption())
		expect_two_reports(runner, leaves_two_things,
				   REPORT "leaves_two_things",
				   "a changed preemption count");
}

/*
 * With PREEMPT_RT the section is reported and left open, as it can be that of a
 * spinlock: the next sleep is a warning then.
 */
static bool counts_rcu_sections(void)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		kt_skip("a spinlock opens a section here, so it stays open");
	else if (!IS_ENABLED(CONFIG_PREEMPT_RCU))
		kt_skip("this kernel does not count RCU sections");
	return IS_ENABLED(CONFIG_PREEMPT_RCU) && !IS_ENABLED(CONFIG_PREEMPT_RT);
}

/*
 * Fails if the context is not checked, or the thread stays in the section for
 * good.
 */
static void open_rcu_section_is_reported(int runner)
{
	if (counts_rcu_sections())
		expect_report(runner, leaves_rcu_section_open,
			      REPORT "leaves_rcu_section_open ",
			      "an RCU read section open");
}

static int does_nothing(struct kpool_item *item)
{
	return 0;
}

/*
 * A section that stays open is reported of the item that left it, and not of
 * the next.  The third closes it, before the worker sleeps.
 * Fails if the section is compared with none: mutant leak-reported-of-the-next.
 */
static void section_that_stays_open_is_reported_once(void)
{
	static const kpool_item_fn fns[] = {
		leaves_rcu_section_open, does_nothing, closes_rcu_section,
	};
	int before = log_count(REPORT, "an RCU read section open");
	struct kt_job jobs[ARRAY_SIZE(fns)];
	int i;

	if (!IS_ENABLED(CONFIG_PREEMPT_RT)) {
		kt_skip("no section stays open");
		return;
	}
	if (!report_pool(WORKER))
		return;
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_QUEUE_DEPTH, KPOOL_UNLIMITED), 0);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	for (i = 0; i < ARRAY_SIZE(fns); i++) {
		kt_job_init(&jobs[i], fns[i], &gate, 0);
		KT_EXPECT_EQ(kpool_submit(pool, &jobs[i].item), 0);
	}
	kpool_resume(pool);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(log_count(REPORT, "an RCU read section open"), before + 1);
	KT_EXPECT_EQ(log_count(REPORT "does_nothing", "returned with"), 0);
	report_end();
}

/* Fails if one of several is closed: mutant leak-one-section-closed. */
static void nested_rcu_sections_are_closed(int runner)
{
	if (counts_rcu_sections())
		expect_report(runner, leaves_rcu_sections_open,
			      REPORT "leaves_rcu_sections_open",
			      "an RCU read section open");
}

/*
 * Fails if sections are closed until their number is none (it is below), or if
 * one of several is opened again, mutant leak-one-section-opened.  Also fails
 * if the next interrupt finds it so: mutant interrupts-on-before-rcu.
 */
static void closed_rcu_section_is_reported(int runner)
{
	if (IS_ENABLED(CONFIG_PROVE_LOCKING)) {
		kt_skip("the kernel complains itself");
		return;
	}
	if (!counts_rcu_sections())
		return;
	expect_two_reports(runner, closes_rcu_section_of_others,
			   REPORT "closes_rcu_section_of_others",
			   "an RCU read section closed");
	irq_work_sync(&rcu_depth_work);
	KT_EXPECT_EQ(rcu_depth_found, 0);
}

/*
 * Flags that limit the thread's allocations would limit those of all later
 * items, or of the submitter for good.
 * Fails if they are not compared, or left.
 */
static void allocation_flags_are_reported(int runner)
{
	expect_report(runner, leaves_noio, REPORT "leaves_noio",
		      "PF_MEMALLOC_NOIO changed");
	expect_report(runner, leaves_nofs, REPORT "leaves_nofs",
		      "PF_MEMALLOC_NOFS changed");
	expect_report(runner, leaves_noreclaim, REPORT "leaves_noreclaim",
		      "PF_MEMALLOC changed");
	expect_report(runner, leaves_throttle, REPORT "leaves_throttle",
		      "PF_LOCAL_THROTTLE changed");
	expect_report(runner, leaves_pin, REPORT "leaves_pin",
		      "PF_MEMALLOC_PIN changed");
}

/* Fails if only the first is reported: mutant leak-first-flag-only. */
static void each_of_two_allocation_flags_is_reported(int runner)
{
	const char *name = REPORT "leaves_noio_and_nofs";
	int before = log_count(name, " changed");

	if (!report_pool(runner))
		return;
	run(leaves_noio_and_nofs);
	KT_EXPECT_EQ(log_count(name, " changed"), before + 2);
	run(finds_all_in_order);
	KT_EXPECT_EQ(flags_found, 0);
	report_end();
}

static void *works_without_io(void *data)
{
	memalloc_noio_save();
	return NULL;
}

/*
 * Flags that worker_init has set are the worker's own: they stay for all items,
 * and are no leak.
 * Fails if the flags are compared with none: mutant leak-flags-of-none.
 */
static void flags_of_the_worker_are_kept(void)
{
	const struct kpool_attrs attrs = {
		.capacity = 1, .expiry_ms = KPOOL_NO_PURGE,
		.worker_init = works_without_io,
	};
	int before = log_count(REPORT, "returned with");

	kt_gate_init(&gate);
	pool = kt_pool("report", &attrs);
	if (!pool)
		return;
	run(finds_all_in_order);
	run(finds_all_in_order);
	KT_EXPECT_EQ(flags_found, PF_MEMALLOC_NOIO);
	KT_EXPECT_EQ(log_count(REPORT, "returned with"), before);
	run(ends_noio);
	KT_EXPECT_EQ(log_count(REPORT, "returned with"), before + 1);
	run(finds_all_in_order);
	KT_EXPECT_EQ(flags_found, PF_MEMALLOC_NOIO);
	KT_EXPECT_EQ(log_count(REPORT, "returned with"), before + 1);
	report_end();
}

/*
 * A context that a submitter has set, and a lock that it took before, are its
 * own as well.
 * Fails if that is reported of an item that it runs, or is undone: mutant
 * leak-of-submitter-its-own.
 */
static void context_of_the_submitter_is_kept(void)
{
	int before = log_count(REPORT, "returned with");
	static DEFINE_MUTEX(own);
	unsigned int flags;

	if (!report_pool(SUBMITTER))
		return;
	mutex_lock(&own);
	flags = memalloc_noio_save();
	run(finds_all_in_order);
	KT_EXPECT_EQ(flags_found, PF_MEMALLOC_NOIO);
	KT_EXPECT_EQ(log_count(REPORT, "returned with"), before);
	run(ends_noio);
	KT_EXPECT_EQ(log_count(REPORT, "returned with"), before + 1);
	KT_EXPECT(current->flags & PF_MEMALLOC_NOIO);
	memalloc_noio_restore(flags);
	mutex_unlock(&own);
	KT_EXPECT_EQ(kt_stat(pool, caller_ran), 2);
	report_end();
}

/* Fails if the report names kpool's own wrapper of the function form. */
static void function_form_is_reported_by_the_callers_function(int runner)
{
	const char *name = REPORT "leaves_interrupts_off_by_argument";
	int before = log_count(name, "returned with");

	if (!report_pool(runner))
		return;
	KT_EXPECT_EQ(kpool_submit_fn(pool, leaves_interrupts_off_by_argument,
				     NULL, GFP_KERNEL), 0);
	kt_gate_open(&occupied);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(log_count(name, "returned with"), before + 1);
	report_end();
}

static bool knows_locks(void)
{
	if (!IS_ENABLED(CONFIG_LOCKDEP))
		kt_skip("only lockdep knows the locks that a thread holds");
	return IS_ENABLED(CONFIG_LOCKDEP);
}

/* Fails if lockdep is not asked after each item. */
static void held_lock_is_reported(int runner)
{
	const char *name = REPORT "leaves_mutex_locked";
	int before = log_count(name, "a lock held");

	/* to lockdep, its own flush with the lock held is wrong */
	if (runner == SUBMITTER) {
		kt_skip("the submitter goes on with the lock");
		return;
	}
	if (!knows_locks() || !report_pool(runner))
		return;
	run(leaves_mutex_locked);
	KT_EXPECT_EQ(log_count(name, "a lock held"), before + 1);
	run(unlocks_mutex);
	KT_EXPECT_EQ(log_count(REPORT "unlocks_mutex", "returned with"), 0);
	KT_EXPECT(!mutex_is_locked(&left_locked));
	run(finds_all_in_order);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 1);
	report_end();
}

/*
 * A lock that is left is reported once, and not as that of the next item; the
 * next lock that is left is reported again.
 * Fails if it is asked what is held instead of what was added.
 */
static void held_lock_is_reported_of_its_item_alone(int runner)
{
	const char *name = REPORT "leaves_mutex_locked";
	int before = log_count(name, "returned with");
	int all = log_count(REPORT, "returned with");
	int i;

	/* to lockdep, its own flush with the lock held is wrong */
	if (runner == SUBMITTER) {
		kt_skip("the submitter goes on with the lock");
		return;
	}
	if (!knows_locks() || !report_pool(runner))
		return;
	for (i = 1; i <= 2; i++) {
		run(leaves_mutex_locked);
		run(finds_all_in_order);
		run(finds_all_in_order);
		KT_EXPECT_EQ(log_count(name, "returned with"), before + i);
		run(unlocks_mutex);
		run(finds_all_in_order);
		KT_EXPECT_EQ(log_count(REPORT, "returned with"), all + i);
	}
	KT_EXPECT_EQ(atomic_read(&gate.finished), 6);
	report_end();
}

/* Fails if an item that behaves is reported. */
static void nothing_else_is_reported(int runner)
{
	int before = log_count(REPORT, "returned with");

	if (!report_pool(runner))
		return;
	run(finds_all_in_order);
	KT_EXPECT_EQ(log_count(REPORT, "returned with"), before);
	report_end();
}

KT_MODULE("kpool selftest: items that leave something behind",
	  KT_EACH(changed_preemption_count_is_reported, runners),
	  KT_EACH(nested_preemption_counts_are_put_right, runners),
	  KT_EACH(interrupts_off_are_reported, runners),
	  KT_EACH(each_of_two_leaks_is_reported, runners),
	  KT_EACH(handler_is_called_in_order, runners),
	  KT_CASE(release_is_called_in_order),
	  KT_EACH(open_rcu_section_is_reported, runners),
	  KT_CASE(section_that_stays_open_is_reported_once),
	  KT_EACH(nested_rcu_sections_are_closed, runners),
	  KT_EACH(closed_rcu_section_is_reported, runners),
	  KT_EACH(allocation_flags_are_reported, runners),
	  KT_EACH(each_of_two_allocation_flags_is_reported, runners),
	  KT_CASE(flags_of_the_worker_are_kept),
	  KT_CASE(context_of_the_submitter_is_kept),
	  KT_EACH(function_form_is_reported_by_the_callers_function, runners),
	  KT_EACH(held_lock_is_reported, runners),
	  KT_EACH(held_lock_is_reported_of_its_item_alone, runners),
	  KT_EACH(nothing_else_is_reported, runners));
