// SPDX-License-Identifier: GPL-2.0-only
/*
 * An item that returns with a changed context is reported by its function,
 * and the pool goes on.
 */
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>

#include "log.h"

#define REPORT	"kpool: report: "

static struct kpool *pool;
static struct kt_gate gate;

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

static int finds_all_in_order(struct kpool_item *item)
{
	KT_EXPECT_EQ(preempt_count(), 0);
	KT_EXPECT(!irqs_disabled());
	KT_EXPECT_EQ(rcu_preempt_depth(), 0);
	might_sleep();
	return kt_job_tiny(item);
}

static void run(kpool_item_fn fn)
{
	static struct kt_job job;

	kt_job_init(&job, fn, &gate, 0);
	KT_EXPECT_EQ(kpool_submit(pool, &job.item), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
}

static bool report_pool(void)
{
	kt_gate_init(&gate);
	pool = kt_pool("report", &(struct kpool_attrs){
		.capacity = 1, .expiry_ms = KPOOL_NO_PURGE,
	});
	return pool;
}

/* Run @fn; the log must then name it with @what, and the worker be as before. */
static void expect_report(kpool_item_fn fn, const char *name, const char *what)
{
	int before = log_count(name, what);

	if (!report_pool())
		return;
	run(fn);
	KT_EXPECT_EQ(log_count(name, what), before + 1);
	run(finds_all_in_order);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 1);
	KT_EXPECT_EQ(kt_stat(pool, spawned), 1);
	kt_pool_end(pool);
}

/*
 * Fails if the worker does not compare the preemption count, or leaves it:
 * its next sleep would be "scheduling while atomic".
 */
static void changed_preemption_count_is_reported(void)
{
	if (!IS_ENABLED(CONFIG_PREEMPT_COUNT)) {
		kt_skip("this kernel does not count preemption");
		return;
	}
	expect_report(leaves_preemption_off,
		      REPORT "leaves_preemption_off", "returned with");
}

/* Fails if the worker does not look, or goes on with interrupts off. */
static void interrupts_off_are_reported(void)
{
	expect_report(leaves_interrupts_off,
		      REPORT "leaves_interrupts_off", "returned with");
}

/*
 * With PREEMPT_RT the worker reports the section and leaves it open, as it may
 * be that of a spinlock: the worker's next sleep is a warning then.
 * Fails if the worker does not look, or stays in the section for good.
 */
static void open_rcu_section_is_reported(void)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT)) {
		kt_skip("a spinlock opens a section here, so it stays open");
		return;
	}
	if (!IS_ENABLED(CONFIG_PREEMPT_RCU)) {
		kt_skip("this kernel does not count RCU sections");
		return;
	}
	expect_report(leaves_rcu_section_open,
		      REPORT "leaves_rcu_section_open", "returned with");
}

/* Fails if the report names kpool's own wrapper of the function form. */
static void function_form_is_reported_by_the_callers_function(void)
{
	const char *name = REPORT "leaves_interrupts_off_by_argument";
	int before = log_count(name, "returned with");

	if (!report_pool())
		return;
	KT_EXPECT_EQ(kpool_submit_fn(pool, leaves_interrupts_off_by_argument,
				     NULL, GFP_KERNEL), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(log_count(name, "returned with"), before + 1);
	kt_pool_end(pool);
}

/* Fails if the worker does not ask lockdep after each item. */
static void held_lock_is_reported(void)
{
	const char *name = REPORT "leaves_mutex_locked";
	int before = log_count(name, "returned with");

	if (!IS_ENABLED(CONFIG_LOCKDEP)) {
		kt_skip("only lockdep knows who holds a lock");
		return;
	}
	if (!report_pool())
		return;
	run(leaves_mutex_locked);
	KT_EXPECT_EQ(log_count(name, "returned with"), before + 1);
	run(unlocks_mutex);
	KT_EXPECT_EQ(log_count(REPORT "unlocks_mutex", "returned with"), 0);
	KT_EXPECT(!mutex_is_locked(&left_locked));
	run(finds_all_in_order);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 1);
	kt_pool_end(pool);
}

/*
 * A lock that is left is reported once, and not as that of the next item; the
 * next lock that is left is reported again.
 * Fails if the worker asks what is held instead of what was added.
 */
static void held_lock_is_blamed_on_its_item_alone(void)
{
	const char *name = REPORT "leaves_mutex_locked";
	int before = log_count(name, "returned with");
	int all = log_count(REPORT, "returned with");
	int i;

	if (!IS_ENABLED(CONFIG_LOCKDEP)) {
		kt_skip("only lockdep knows who holds a lock");
		return;
	}
	if (!report_pool())
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
	KT_EXPECT_EQ(kt_stat(pool, spawned), 1);
	kt_pool_end(pool);
}

/* Fails if an item that behaves is reported. */
static void nothing_else_is_reported(void)
{
	int before = log_count(REPORT, "returned with");

	if (!report_pool())
		return;
	run(finds_all_in_order);
	KT_EXPECT_EQ(log_count(REPORT, "returned with"), before);
	kt_pool_end(pool);
}

KT_MODULE("kpool selftest: items that leave something behind",
	  KT_CASE(changed_preemption_count_is_reported),
	  KT_CASE(interrupts_off_are_reported),
	  KT_CASE(open_rcu_section_is_reported),
	  KT_CASE(function_form_is_reported_by_the_callers_function),
	  KT_CASE(held_lock_is_reported),
	  KT_CASE(held_lock_is_blamed_on_its_item_alone),
	  KT_CASE(nothing_else_is_reported));
