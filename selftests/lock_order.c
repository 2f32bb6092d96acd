// SPDX-License-Identifier: GPL-2.0-only
/*
 * lockdep is notified of items and waiters for them.  A lock that is held
 * across a wait and taken by the items waited for is reported before it hangs,
 * and nothing else is.
 *
 * The first report ends lockdep's work until the next boot.  So what is to be
 * reported has a boot of its own for each case.  Most waits are judged by the
 * order that lockdep has noted, see lock_order.sh.
 */
#include <linux/debug_locks.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>

#include "jobs.h"
#include "log.h"

static const struct kpool_attrs two = { .capacity = 2 };

/* Skips the case without lockdep; fails it if lockdep has given up. */
static bool lockdep_watches(void)
{
	if (!IS_ENABLED(CONFIG_PROVE_LOCKING)) {
		kt_skip("this kernel has no lockdep");
		return false;
	}
	return KT_EXPECT(debug_locks);
}

static DEFINE_MUTEX(taken_by_items);

static void take(void)
{
	mutex_lock(&taken_by_items);
	mutex_unlock(&taken_by_items);
}

static int takes_lock(struct kpool_item *item)
{
	take();
	return 0;
}

/* Run one item of @fn to its end. */
static void run(struct kpool *pool, kpool_item_fn fn)
{
	struct kpool_item item;

	kpool_init_item_onstack(&item, fn);
	KT_EXPECT_EQ(kpool_submit(pool, &item), 0);
	KT_EXPECT_EQ(kpool_flush_item(&item), 0);
	kpool_destroy_item_onstack(&item);
}

/* Every wait, by a thread that holds a lock of its own */

enum {
	FLUSH, FLUSH_ITEM, CANCEL, DISABLE, DESTROY, RELEASE, GROUP_WAIT,
	GROUP_NEXT, CALL, ACROSS, NR_WAITS
};

/* The names of their pools.  That of the lock is the same after "held-". */
static const char *const waits[NR_WAITS] = {
	"flush", "flush-item", "cancel", "disable", "destroy", "shutdown",
	"group-wait", "group-next", "call", "across"
};

static struct hold {
	int			wait;
	struct mutex		lock;		/* held across the wait */
	struct lock_class_key	key;
	char			name[24];
	struct kpool		*pool;
	struct kpool_group	group;
	struct kpool_job	job;
	struct kt_gate		gate;
	struct kt_thread	thread;
} holds[NR_WAITS];

static int takes_lock_and_waits(void *gate)
{
	take();
	return kt_gate_pass(gate);
}

static int hold_item(struct kpool_item *item)
{
	struct hold *h = container_of(item, struct hold, job.item);

	return takes_lock_and_waits(&h->gate);
}

static struct task_struct *across_task;

static int flushes_another_pool(void *arg)
{
	WRITE_ONCE(across_task, current);
	return kpool_flush(arg);
}

static bool across_sleeps(void)
{
	struct task_struct *task = READ_ONCE(across_task);

	return task && !task_is_running(task);
}

/* By an item of a pool that is not known to wait for another. */
static int hold_across(struct hold *h)
{
	struct kpool *pool = kt_pool("across-other", &two);
	int err, result = -1;

	if (!pool)
		return -ENOMEM;
	err = kpool_call(pool, flushes_another_pool, h->pool, &result);
	kt_pool_end(pool);
	return err ?: result;
}

static int hold_wait(struct hold *h)
{
	const unsigned long forever = MAX_SCHEDULE_TIMEOUT;

	switch (h->wait) {
	case FLUSH:
		return kpool_flush(h->pool);
	case FLUSH_ITEM:
		return kpool_flush_item(&h->job.item);
	case CANCEL:
		return kpool_cancel_sync(&h->job.item);
	case DISABLE:
		return kpool_disable_sync(&h->job.item);
	case DESTROY:
		return kpool_destroy(h->pool);
	case RELEASE:
		return kpool_shutdown_timeout(h->pool, forever);
	case GROUP_WAIT:
		return kpool_group_wait(&h->group, forever);
	case GROUP_NEXT:
		return PTR_ERR_OR_ZERO(kpool_group_next(&h->group, forever));
	case CALL:
		return kpool_call(h->pool, takes_lock_and_waits, &h->gate,
				  NULL);
	default:
		return hold_across(h);
	}
}

static int hold_main(void *arg)
{
	struct hold *h = arg;
	int err;

	mutex_lock(&h->lock);
	err = hold_wait(h);
	mutex_unlock(&h->lock);
	return err;
}

/* An item of its pool runs; its thread waits for that, with its lock held. */
static bool hold_begin(struct hold *h, int wait)
{
	memset(h, 0, sizeof(*h));
	h->wait = wait;
	snprintf(h->name, sizeof(h->name), "held-%s", waits[wait]);
	mutex_init(&h->lock);
	lockdep_set_class_and_name(&h->lock, &h->key, h->name);
	kt_gate_init(&h->gate);
	kpool_init_job(&h->job, hold_item);
	h->pool = kt_pool(waits[wait], &two);
	if (!h->pool)
		return false;
	KT_EXPECT_EQ(kpool_init_group(&h->group, h->pool, NULL,
				      wait == GROUP_NEXT ?
				      KPOOL_GROUP_COLLECT : 0), 0);
	kpool_set_group(&h->job, &h->group);
	if (wait != CALL) {
		KT_EXPECT_EQ(kpool_submit(h->pool, &h->job.item), 0);
		KT_EXPECT(kt_wait(atomic_read(&h->gate.started)));
	}
	return kt_thread_start(&h->thread, hold_main, h) &&
	       KT_EXPECT(kt_wait(atomic_read(&h->gate.started))) &&
	       kt_thread_asleep(&h->thread);
}

/*
 * The next case ends it; until then lock_order.sh looks at the order of locks
 * that lockdep has noted.
 *
 * There it fails if a wait, or the run of an item, is not annotated for
 * lockdep.  Then it has no kpool_lockdep_wait_pool() or
 * kpool_lockdep_wait_item(), or no kpool_lockdep_run_begin().
 */
static void locks_are_held_across_waits(void)
{
	int i;

	if (!lockdep_watches())
		return;
	across_task = NULL;
	for (i = 0; i < NR_WAITS; i++)
		KT_EXPECT(hold_begin(&holds[i], i));
	KT_EXPECT(kt_wait(across_sleeps()));
	KT_EXPECT(debug_locks);
}

/* Fails if a wait does not end because it is annotated for lockdep. */
static void waits_end(void)
{
	struct hold *h;

	if (!holds[0].pool) {
		kt_skip("no thread waits");
		return;
	}
	for (h = holds; h < holds + NR_WAITS; h++) {
		kt_gate_open(&h->gate);
		KT_EXPECT_EQ(kt_thread_join(&h->thread), 0);
		if (h->wait != DESTROY)
			kt_pool_end(h->pool);
	}
	KT_EXPECT(debug_locks);
}

/* Cases without a report */

struct visit {
	struct kpool_item	item;
	struct kpool		*pool;		/* to go to, or NULL */
	struct visit		*next;		/* to be flushed there */
	int			err;
};

static int visits(struct kpool_item *item)
{
	struct visit *v = container_of(item, struct visit, item);

	if (!v->next)
		return 0;
	v->err = kpool_submit(v->pool, &v->next->item) ?:
		 kpool_flush_item(&v->next->item);
	return 0;
}

/* Visit as visits() does, with an address of its own. */
static int also_visits(struct kpool_item *item)
{
	return visits(item) ?: 0 * item->weight;
}

static void visit_init(struct visit *v, kpool_item_fn fn, struct kpool *pool,
		       struct visit *next)
{
	kpool_init_item(&v->item, fn);
	v->pool = pool;
	v->next = next;
	v->err = -1;
}

/* An item of @pool, by @fn, flushes one of @other, by @other_fn. */
static void visit(struct kpool *pool, kpool_item_fn fn, struct kpool *other,
		  kpool_item_fn other_fn)
{
	static struct visit from, to;

	visit_init(&to, other_fn, NULL, NULL);
	visit_init(&from, fn, other, &to);
	KT_EXPECT_EQ(kpool_submit(pool, &from.item), 0);
	KT_EXPECT_EQ(kpool_flush_item(&from.item), 0);
	KT_EXPECT_EQ(from.err, 0);
}

static struct kpool *front, *back;

static bool two_pools(void)
{
	if (!lockdep_watches())
		return false;
	front = kt_pool("front", &two);
	back = kt_pool("back", &two);
	return front && back;
}

/* The pools must have gone as well without a report. */
static void end_in_silence(void)
{
	kt_pool_end(front);
	kt_pool_end(back);
	KT_EXPECT(debug_locks);
}

static int waits_for_back(void *arg)
{
	struct kpool_group group;
	struct kpool_job job;
	int err;

	KT_EXPECT_EQ(kpool_init_group(&group, back, NULL, 0), 0);
	kpool_init_job(&job, takes_lock);
	kpool_set_group(&job, &group);
	err = kpool_submit(back, &job.item) ?:
	      kpool_group_wait(&group, MAX_SCHEDULE_TIMEOUT) ?:
	      kpool_flush(back);
	kpool_destroy_item_onstack(&job.item);
	return err;
}

/*
 * Locks and pools have one order here: held, front, back, taken_by_items.
 * Fails if the caller's own pool, or the item that it runs, is taken for what
 * it waits for.  Then there is no kpool_lockdep_run_end(), so that they stay
 * held.
 */
static void waits_in_one_order_are_not_reported(void)
{
	static DEFINE_MUTEX(held);
	int i, result = -1;

	if (!two_pools())
		return;
	for (i = 0; i < 3; i++) {
		mutex_lock(&held);
		KT_EXPECT_EQ(kpool_call(front, waits_for_back, NULL, &result),
			     0);
		KT_EXPECT_EQ(result, 0);
		KT_EXPECT_EQ(kpool_flush(front), 0);
		take();
		mutex_unlock(&held);
		visit(front, visits, back, also_visits);
	}
	end_in_silence();
}

/*
 * Waits of items for their own pool are kpool's to judge.
 * Fails if kpool_lockdep_wait_item() does not ask for the item's owner.
 */
static void waits_inside_a_pool_are_not_reported(void)
{
	if (!two_pools())
		return;
	visit(front, visits, front, also_visits);
	visit(front, also_visits, front, visits);
	visit(front, visits, front, visits);
	end_in_silence();
}

static int waits_for_group(struct kpool_item *item)
{
	struct kpool_group group;
	struct kpool_job job;

	KT_EXPECT_EQ(kpool_init_group(&group, front, NULL, 0), 0);
	kpool_init_job(&job, takes_lock);
	kpool_set_group(&job, &group);
	KT_EXPECT_EQ(kpool_submit(front, &job.item), 0);
	KT_EXPECT_EQ(kpool_group_wait(&group, MAX_SCHEDULE_TIMEOUT), 0);
	kpool_destroy_item_onstack(&job.item);
	return 0;
}

/* Fails if kpool_lockdep_wait_pool() does not ask whose worker calls. */
static void groups_inside_a_pool_are_not_reported(void)
{
	if (!two_pools())
		return;
	run(front, waits_for_group);
	end_in_silence();
}

/*
 * A function can be that of items in many pools, such as of the stages of one
 * request.
 * Fails if kpool_lockdep_wait_item() does not compare functions.
 */
static void items_alike_may_wait_for_one_another(void)
{
	if (!two_pools())
		return;
	visit(front, visits, back, visits);
	visit(back, visits, front, visits);
	end_in_silence();
}

struct finish {
	struct kpool_job	job;
	struct kpool_stream	stream;
	struct kpool		*pool;
	struct finish		*next;		/* to be flushed, or NULL */
	int			err;
};

static int returns(struct kpool_item *item)
{
	return 0;
}

static int finishes(struct kpool_item *item)
{
	struct finish *f = container_of(item, struct finish, job.item);

	if (f->next)
		f->err = kpool_submit(f->next->pool, &f->next->job.item) ?:
			 kpool_flush_item(&f->next->job.item);
	return 0;
}

static void finish_init(struct finish *f, struct kpool *pool,
			struct finish *next)
{
	kpool_init_job(&f->job, returns);
	kpool_init_ordered_stream(&f->stream, pool);
	KT_EXPECT_EQ(kpool_set_stream(&f->job, &f->stream), 0);
	KT_EXPECT_EQ(kpool_set_complete_fn(&f->job, finishes), 0);
	f->pool = pool;
	f->next = next;
	f->err = -1;
}

/*
 * The completion functions of ordered jobs can be alike, too.
 * Fails if kpool_lockdep_wait_item() does not compare those: mutant
 * lockdep-of-completions-alike.
 */
static void completions_alike_may_wait_for_one_another(void)
{
	static struct finish from, to;

	if (!two_pools())
		return;
	finish_init(&to, back, NULL);
	finish_init(&from, front, &to);
	KT_EXPECT_EQ(kpool_submit(front, &from.job.item), 0);
	KT_EXPECT_EQ(kpool_flush_item(&from.job.item), 0);
	KT_EXPECT_EQ(from.err, 0);
	end_in_silence();
}

/*
 * A caller that asks and does not wait can hold what items take.
 * Fails if kpool_group_wait(), kpool_group_next(), kpool_call_timeout() or
 * kpool_shutdown_timeout() annotate a wait for lockdep without having time for
 * one.
 */
static void polls_are_not_reported(void)
{
	static struct hold h;

	if (!two_pools())
		return;
	kt_gate_init(&h.gate);
	kpool_init_job(&h.job, hold_item);
	KT_EXPECT_EQ(kpool_init_group(&h.group, front, NULL,
				      KPOOL_GROUP_COLLECT), 0);
	kpool_set_group(&h.job, &h.group);
	KT_EXPECT_EQ(kpool_submit(front, &h.job.item), 0);
	KT_EXPECT(kt_wait(atomic_read(&h.gate.started)));

	mutex_lock(&taken_by_items);
	KT_EXPECT_EQ(kpool_group_wait(&h.group, 0), -ETIMEDOUT);
	KT_EXPECT_EQ(PTR_ERR(kpool_group_next(&h.group, 0)), -ETIMEDOUT);
	KT_EXPECT_EQ(kpool_call_timeout(front, takes_lock_and_waits, &h.gate,
					NULL, 0, NULL), -ETIMEDOUT);
	KT_EXPECT_EQ(kpool_shutdown_timeout(front, 0), -ETIMEDOUT);
	mutex_unlock(&taken_by_items);

	kt_gate_open(&h.gate);
	KT_EXPECT(kpool_group_next(&h.group, MAX_SCHEDULE_TIMEOUT) == &h.job);
	end_in_silence();
}

static DEFINE_MUTEX(left_locked);

static int leaves_lock(struct kpool_item *item)
{
	mutex_lock(&left_locked);
	return 0;
}

static int unlocks(struct kpool_item *item)
{
	mutex_unlock(&left_locked);
	return 0;
}

/*
 * The item that left it is reported by kpool.  The worker's next items run with
 * it held and have not taken it; they can take it on another worker.
 * Fails if kpool_lockdep_run_begin() does not look for locks that are held.
 */
static void leaked_lock_has_no_order(void)
{
	struct kpool *pool;

	if (!lockdep_watches())
		return;
	pool = kt_pool("left", &(struct kpool_attrs){
		.capacity = 1, .expiry_ms = KPOOL_NO_PURGE,
	});
	if (!pool)
		return;
	run(pool, leaves_lock);
	run(pool, takes_lock);
	run(pool, unlocks);
	run(pool, takes_lock);
	kt_pool_end(pool);
	KT_EXPECT(debug_locks);
}

/* Functions enough for two of them to meet in a small table */

#define LINK(n)								\
static int link_##n(struct kpool_item *item)				\
{									\
	return visits(item) ?: (n) * (item->weight - 1);		\
}

LINK(0) LINK(1) LINK(2) LINK(3)
LINK(4) LINK(5) LINK(6) LINK(7)
LINK(8) LINK(9) LINK(10) LINK(11)
LINK(12) LINK(13) LINK(14) LINK(15)
LINK(16) LINK(17) LINK(18) LINK(19)
LINK(20) LINK(21) LINK(22) LINK(23)
LINK(24) LINK(25) LINK(26) LINK(27)
LINK(28) LINK(29) LINK(30) LINK(31)

static const kpool_item_fn links[] = {
	link_0, link_1, link_2, link_3,
	link_4, link_5, link_6, link_7,
	link_8, link_9, link_10, link_11,
	link_12, link_13, link_14, link_15,
	link_16, link_17, link_18, link_19,
	link_20, link_21, link_22, link_23,
	link_24, link_25, link_26, link_27,
	link_28, link_29, link_30, link_31,
};

/*
 * Each waits for the next, the last for none.
 * Fails if two functions can be one class, as in a table by hash.  With so many
 * of them, in a table of 128 two meet but for once in fifty times.
 */
static void functions_are_distinguished(void)
{
	int i;

	if (!two_pools())
		return;
	for (i = 0; i + 1 < ARRAY_SIZE(links) && debug_locks; i++)
		visit(front, links[i], back, links[i + 1]);
	end_in_silence();
}

/* Cases that are reported, by kpool itself and by lockdep */

static int own_errors[2];

static int waits_for_itself(struct kpool_item *item)
{
	own_errors[0] = kpool_flush_item(item);
	own_errors[1] = kpool_flush(front);
	return 0;
}

/* Fails if kpool_warn_refused() is not called, or says nothing. */
static void wait_for_itself_is_reported(void)
{
	if (!two_pools())
		return;
	run(front, waits_for_itself);
	KT_EXPECT_EQ(own_errors[0], -EDEADLK);
	KT_EXPECT_EQ(own_errors[1], -EDEADLK);
	KT_EXPECT_EQ(log_count("kpool: front: waits_for_itself",
			       "waits for itself, refused"), 2);
	end_in_silence();
}

static int does_nothing(void *arg)
{
	return 0;
}

static void release_waits_for_its_pool(void *pool)
{
	KT_EXPECT_EQ(kpool_flush(pool), -EDEADLK);
}

static void *init_waits_for_its_pool(void *data)
{
	KT_EXPECT_EQ(kpool_flush(kpool_current()), -EDEADLK);
	return NULL;
}

static void exit_waits_for_its_pool(void *data, void *worker_data)
{
	KT_EXPECT_EQ(kpool_flush(kpool_current()), -EDEADLK);
}

static void worker_functions_wait_for_their_pool(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .worker_init = init_waits_for_its_pool,
		.worker_exit = exit_waits_for_its_pool,
	};
	struct kpool *pool = kt_pool("worker", &attrs);

	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_call(pool, does_nothing, NULL, NULL), 0);
	KT_EXPECT_EQ(log_count("kpool: worker: init_waits_for_its_pool",
			       "waits for itself, refused"), 1);
	kt_pool_end(pool);
	KT_EXPECT_EQ(log_count("kpool: worker: exit_waits_for_its_pool",
			       "waits for itself, refused"), 1);
}

/*
 * A thread is named by the client's function that it is in.
 * Fails if it is the caller of the function that waits: mutant
 * self-wait-of-another-function.
 */
static void wait_of_a_callback_is_reported(void)
{
	if (!two_pools())
		return;
	worker_functions_wait_for_their_pool();
	KT_EXPECT_EQ(kpool_pause(front), 0);
	KT_EXPECT_EQ(kpool_call_timeout(front, does_nothing, front,
					release_waits_for_its_pool, 2, NULL),
		     -ETIMEDOUT);
	kpool_resume(front);
	KT_EXPECT_EQ(log_count("kpool: front: release_waits_for_its_pool",
			       "waits for itself, refused"), 1);
	end_in_silence();
}

/* The one report that there is must name kpool's lock and where it is taken. */
static void expect_report(const char *map, const char *where)
{
	KT_EXPECT(!debug_locks);
	KT_EXPECT_EQ(log_count("possible circular locking dependency", ""), 1);
	KT_EXPECT_GE(log_count(map, where), 1);
	KT_EXPECT_GE(log_count("taken_by_items", "at: "), 1);
}

/*
 * Nothing is pending, so nothing hangs this time.
 * Fails if kpool_lockdep_wait_pool() takes nothing, or
 * kpool_lockdep_run_begin() does not take the pool's map.
 */
static void lock_held_across_flush_is_reported(void)
{
	struct kpool *pool;

	if (!lockdep_watches())
		return;
	pool = kt_pool("flushed", &two);
	if (!pool)
		return;
	run(pool, takes_lock);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT(debug_locks);

	pr_info("kpool-testbed: expect begin\n");
	mutex_lock(&taken_by_items);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	mutex_unlock(&taken_by_items);
	pr_info("kpool-testbed: expect end\n");

	expect_report("(flushed)", "at: kpool_lockdep_wait_pool");
	run(pool, takes_lock);
	kt_pool_end(pool);
}

/*
 * Fails if kpool_lockdep_wait_item() takes nothing, or
 * kpool_lockdep_run_begin() does not take the item's map.
 */
static void lock_held_across_flush_of_an_item_is_reported(void)
{
	static DEFINE_KPOOL_ITEM(item, takes_lock);
	struct kpool *pool;

	if (!lockdep_watches())
		return;
	pool = kt_pool("flushed", &two);
	if (!pool)
		return;
	KT_EXPECT_EQ(kpool_submit(pool, &item), 0);
	KT_EXPECT_EQ(kpool_flush_item(&item), 0);
	KT_EXPECT(debug_locks);

	pr_info("kpool-testbed: expect begin\n");
	mutex_lock(&taken_by_items);
	KT_EXPECT_EQ(kpool_flush_item(&item), 0);
	mutex_unlock(&taken_by_items);
	pr_info("kpool-testbed: expect end\n");

	expect_report("(kpool_item", "at: kpool_lockdep_wait_item");
	run(pool, takes_lock);
	kt_pool_end(pool);
}

static struct kpool_item *awaited;

static int takes_nothing(struct kpool_item *item)
{
	return 0;
}

static int flushes_under_lock(struct kpool_item *item)
{
	int err;

	mutex_lock(&taken_by_items);
	err = kpool_flush_item(awaited);
	mutex_unlock(&taken_by_items);
	return err;
}

/*
 * The wait for an ordered job is one for its completion function, too, also in
 * an item of another pool.
 * Fails if kpool_lockdep_wait_item() takes the map of its function only, or not
 * in a worker: mutants lockdep-completion-not-reported,
 * lockdep-completion-not-reported-in-a-worker.
 */
static void lock_held_across_flush_of_an_ordered_job_is_reported(void)
{
	static DEFINE_KPOOL_JOB(job, takes_nothing);
	struct kpool_stream stream;
	struct kpool *pool, *other;

	if (!lockdep_watches())
		return;
	pool = kt_pool("flushed", &two);
	other = kt_pool("flushes", &two);
	if (!pool || !other)
		goto out;
	kpool_init_ordered_stream(&stream, pool);
	KT_EXPECT_EQ(kpool_set_stream(&job, &stream), 0);
	KT_EXPECT_EQ(kpool_set_complete_fn(&job, takes_lock), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &job.item), 0);
	KT_EXPECT_EQ(kpool_flush_item(&job.item), 0);
	KT_EXPECT(debug_locks);

	awaited = &job.item;
	pr_info("kpool-testbed: expect begin\n");
	run(other, flushes_under_lock);
	pr_info("kpool-testbed: expect end\n");

	expect_report("(kpool_item", "at: kpool_lockdep_wait_item");
out:
	kt_pool_end(other);
	kt_pool_end(pool);
}

static int flushes_front(struct kpool_item *item)
{
	return kpool_flush(front);
}

static int flushes_back(struct kpool_item *item)
{
	return kpool_flush(back);
}

/*
 * kpool does not see a cycle of waits that leads through several pools.
 * Fails as the first of the three.
 */
static void cycle_of_pools_is_reported(void)
{
	if (!two_pools())
		return;
	run(front, flushes_back);
	KT_EXPECT(debug_locks);

	pr_info("kpool-testbed: expect begin\n");
	run(back, flushes_front);
	pr_info("kpool-testbed: expect end\n");

	KT_EXPECT(!debug_locks);
	KT_EXPECT_EQ(log_count("possible circular locking dependency", ""), 1);
	KT_EXPECT_GE(log_count("(front)", "at: kpool_lockdep_wait_pool"), 1);
	KT_EXPECT_GE(log_count("(back)", "at: "), 1);
	kt_pool_end(front);
	kt_pool_end(back);
}

KT_MODULE("kpool selftest: what lockdep is notified of",
	  KT_CASE(locks_are_held_across_waits),
	  KT_CASE(waits_end),
	  KT_CASE(waits_in_one_order_are_not_reported),
	  KT_CASE(waits_inside_a_pool_are_not_reported),
	  KT_CASE(groups_inside_a_pool_are_not_reported),
	  KT_CASE(items_alike_may_wait_for_one_another),
	  KT_CASE(completions_alike_may_wait_for_one_another),
	  KT_CASE(polls_are_not_reported),
	  KT_CASE(leaked_lock_has_no_order),
	  KT_CASE(functions_are_distinguished),
	  KT_CASE(wait_for_itself_is_reported),
	  KT_CASE(wait_of_a_callback_is_reported),
	  KT_CASE(lock_held_across_flush_is_reported),
	  KT_CASE(lock_held_across_flush_of_an_item_is_reported),
	  KT_CASE(lock_held_across_flush_of_an_ordered_job_is_reported),
	  KT_CASE(cycle_of_pools_is_reported));
