// SPDX-License-Identifier: GPL-2.0-only
/*
 * Items that are submitted again: while they run, by themselves, to another
 * pool, after they freed themselves; and which run sees whose stores.
 */
#include "compat.h"
#include "full.h"

static const struct kpool_attrs one = { .capacity = 1 };
static const struct kpool_attrs roomy = {
	.capacity = 4, .queue_depth = KPOOL_UNLIMITED,
};

/* An item that submits itself for as long as it should. */
struct again {
	struct kpool_item	item;
	struct kpool		*pool;
	int			runs;
	int			err;		/* of its last submit */
	bool			stop;
	int			(*submit)(struct kpool *pool,
					  struct kpool_item *item);
};

static int again_fn(struct kpool_item *item)
{
	struct again *a = container_of(item, struct again, item);

	a->runs++;
	if (kt_exact)
		usleep_range(100, 200);
	if (!READ_ONCE(a->stop))
		a->err = a->submit(a->pool, item);
	return 0;
}

static void again_init(struct again *a, struct kpool *pool,
		       int (*submit)(struct kpool *, struct kpool_item *))
{
	memset(a, 0, sizeof(*a));
	kpool_init_item(&a->item, again_fn);
	a->pool = pool;
	a->submit = submit;
}

/*
 * An item that submits itself on a full pool is never refused, and waiters that
 * sleep in submit get their turn all the same.
 * Fails if self-submission asks for room (it would be -EDEADLK here), or goes
 * to the head of the queue.
 */
static void self_submission_starves_no_submitter(void)
{
	static struct kt_job late[4];
	static struct kt_gate gate;
	static struct again a;
	struct kt_submitter s[4];
	struct kpool *pool = kt_pool("again", &one);
	int i;

	if (!pool)
		return;
	kt_gate_init(&gate);
	again_init(&a, pool, kpool_submit);
	KT_EXPECT_EQ(kpool_submit(pool, &a.item), 0);
	KT_EXPECT(kt_wait(READ_ONCE(a.runs) > 10));
	for (i = 0; i < 4; i++) {
		kt_job_init(&late[i], kt_job_tiny, &gate, i);
		kt_submitter_start(&s[i], pool, &late[i].item);
	}
	for (i = 0; i < 4; i++)
		KT_EXPECT_EQ(kt_thread_join(&s[i].thread), 0);
	KT_EXPECT(kt_wait(atomic_read(&gate.finished) == 4));
	WRITE_ONCE(a.stop, true);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT(kt_wait(!kpool_is_pending(&a.item)));
	KT_EXPECT_EQ(kpool_flush_item(&a.item), 0);
	KT_EXPECT_EQ(a.err, 0);
	KT_EXPECT_EQ(kt_stat(pool, refused), 0);
	kt_pool_end(pool);
}

/*
 * Self-submission needs no room under any policy: try, a nonblocking pool.
 * Fails if one of these paths asks for room first.
 */
static void self_submission_needs_no_room(void)
{
	static const struct kpool_attrs nonblocking = {
		.capacity = 1, .nonblocking = 1,
	};
	static struct again a;
	struct kpool *pool = kt_pool("again", &nonblocking);
	int i;

	if (!pool)
		return;
	for (i = 0; i < 2; i++) {
		again_init(&a, pool, i ? kpool_try_submit : kpool_submit);
		KT_EXPECT_EQ(kpool_submit(pool, &a.item), 0);
		KT_EXPECT(kt_wait(READ_ONCE(a.runs) > 50));
		WRITE_ONCE(a.stop, true);
		KT_EXPECT(kt_wait(kt_is_drained(pool)));
		KT_EXPECT_EQ(a.err, 0);
	}
	kt_pool_end(pool);
}

/*
 * Self-submission is ended by closing and disable.
 * Fails if the exemption from room exempts from these too: shutdown would never
 * see the last item.
 */
static void closing_and_disable_end_self_submission(void)
{
	static struct again a;
	struct kpool *pool = kt_pool("again", &one);

	if (!pool)
		return;
	again_init(&a, pool, kpool_submit);
	KT_EXPECT_EQ(kpool_submit(pool, &a.item), 0);
	KT_EXPECT(kt_wait(READ_ONCE(a.runs) > 10));
	KT_EXPECT_GE(kpool_disable_sync(&a.item), 0);
	KT_EXPECT(!a.err || a.err == -ECANCELED);
	KT_EXPECT(kt_wait(kt_is_drained(pool)));
	KT_EXPECT_EQ(kpool_enable(&a.item), 0);
	a.runs = 0;
	KT_EXPECT_EQ(kpool_submit(pool, &a.item), 0);
	KT_EXPECT(kt_wait(READ_ONCE(a.runs) > 10));
	KT_EXPECT_EQ(kpool_shutdown_timeout(pool, KT_LIMIT), 0);
	KT_EXPECT_EQ(a.err, -ESHUTDOWN);
	kt_pool_end(pool);
}

/*
 * An item submitted while it runs is accepted, waits although units are free,
 * and starts after.
 * Fails if a free worker can take an item that runs, or if the second
 * submission is lost.
 */
static void item_submitted_while_it_runs_starts_after(void)
{
	static struct kt_job job;
	static struct kt_gate gate;
	struct kpool *pool = kt_pool("resubmit", &roomy);
	int i;

	if (!pool)
		return;
	kt_gate_init(&gate);
	kt_job_init(&job, kt_job_gated, &gate, 0);
	KT_EXPECT_EQ(kpool_submit(pool, &job.item), 0);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 1));
	KT_EXPECT(!kpool_is_pending(&job.item));
	KT_EXPECT_EQ(kpool_submit(pool, &job.item), 0);
	for (i = 0; i < 3; i++)
		KT_EXPECT_EQ(kpool_try_submit(pool, &job.item), -EALREADY);
	KT_EXPECT(kpool_is_pending(&job.item));
	kt_sleep_ms(20);
	KT_EXPECT_EQ(atomic_read(&gate.started), 1);
	kt_gate_let_one(&gate);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 2));
	KT_EXPECT_EQ(atomic_read(&gate.finished), 1);
	KT_EXPECT(!kpool_is_pending(&job.item));
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kpool_flush_item(&job.item), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 2);
	KT_EXPECT_EQ(kt_stat(pool, submitted), 2);
	kt_pool_end(pool);
}

/*
 * An item that waits for its own run blocks no other item.
 * Fails if such an item keeps its place at the head of the queue.
 */
static void requeued_item_blocks_no_other(void)
{
	static struct kt_job job, other;
	static struct kt_gate gate, free;
	struct kpool *pool = kt_pool("resubmit", &roomy);

	if (!pool)
		return;
	kt_gate_init(&gate);
	kt_gate_init(&free);
	kt_job_init(&job, kt_job_gated, &gate, 0);
	kt_job_init(&other, kt_job_tiny, &free, 1);
	KT_EXPECT_EQ(kpool_submit(pool, &job.item), 0);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 1));
	KT_EXPECT_EQ(kpool_submit(pool, &job.item), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &other.item), 0);
	KT_EXPECT(kt_wait(atomic_read(&free.finished) == 1));
	KT_EXPECT_EQ(atomic_read(&gate.started), 1);
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 2);
	kt_pool_end(pool);
}

static struct order order;

static int notes_its_start(struct kpool_item *item)
{
	struct kt_job *job = kt_job_of(item);

	order_note(&order, job->nr);
	return kt_job_gated(item);
}

/*
 * An item runs and is submitted again, without the lock, before a heavy one in
 * the same tick.  It has its turn when the other lacks a unit, waits for its
 * run, and is put back then: in front of the younger.
 * Fails (does not start first) if both have one number: mutant
 * fast-submits-use-no-numbers.
 */
static void requeued_item_keeps_its_place(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = KPOOL_UNLIMITED,
	};
	static struct kt_gate first, gate, open;
	static struct kt_job again, before, filler, heavy;
	struct kpool *pool = kt_pool("place", &attrs);

	if (!pool)
		return;
	order_init(&order);
	kt_gate_init(&first);
	kt_gate_init(&gate);
	kt_gate_init(&open);
	kt_job_init(&again, notes_its_start, &first, 0);
	kt_job_init(&before, kt_job_gated, &gate, 0);
	kt_job_init(&filler, kt_job_tiny, &open, 0);
	kt_job_init(&heavy, notes_its_start, &first, 1);
	KT_EXPECT_EQ(kpool_set_weight(&heavy.item, 2), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &again.item), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &before.item), 0);
	KT_EXPECT(kt_wait(atomic_read(&first.started) && atomic_read(&gate.started)));
	KT_EXPECT_EQ(kpool_submit(pool, &filler.item), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &again.item), 0);
	/* with the lock, the next one has it, too */
	KT_EXPECT_EQ(kt_stat(pool, pending), 2);
	KT_EXPECT_EQ(kpool_submit(pool, &heavy.item), 0);
	kt_gate_open(&gate);
	KT_EXPECT(kt_wait(kt_stat(pool, idle) == 1));
	kt_gate_open(&first);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(order.n, 3);
	KT_EXPECT_EQ(order.nr[1], 0);
	kt_pool_end(pool);
}

static const char *const weights[] = { "one", "three", NULL };

/*
 * While it is queued, in a paused pool, it takes none of the free units: there
 * is room for another item, and for no third.
 * Fails (-EAGAIN) if it counts as one that is about to start, or its weight
 * does: mutants held-item-takes-a-unit, held-item-takes-its-weight.
 */
static void item_behind_its_run_takes_no_unit(int heavy)
{
	int i, weight = heavy ? 3 : 1;
	const struct kpool_attrs attrs = { .capacity = weight + 1 };
	struct kpool *pool = kt_pool("behind", &attrs);
	static struct kt_job job[3];
	static struct kt_gate gate;

	if (!pool)
		return;
	kt_gate_init(&gate);
	for (i = 0; i < 3; i++)
		kt_job_init(&job[i], kt_job_gated, &gate, i);
	KT_EXPECT_EQ(kpool_submit(pool, &job[0].item), 0);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 1));
	KT_EXPECT_EQ(kpool_set_weight(&job[0].item, weight), 0);
	KT_EXPECT_EQ(kpool_set_weight(&job[1].item, weight), 0);
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	KT_EXPECT_EQ(kpool_try_submit(pool, &job[0].item), 0);
	KT_EXPECT_EQ(kpool_try_submit(pool, &job[1].item), 0);
	KT_EXPECT_EQ(kpool_try_submit(pool, &job[2].item), -EAGAIN);
	kpool_resume(pool);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 2));
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 3);
	kt_pool_end(pool);
}

/*
 * The end of its run makes it one that is about to start, and its units are
 * taken again.
 * Fails (accepted) if it still counts as held: mutants held-item-stays-held,
 * held-item-has-no-weight.
 */
static void item_whose_run_has_ended_takes_a_unit(int heavy)
{
	int i, weight = heavy ? 3 : 1;
	const struct kpool_attrs attrs = { .capacity = weight };
	struct kpool *pool = kt_pool("behind", &attrs);
	static struct kt_job job[2];
	static struct kt_gate gate;

	if (!pool)
		return;
	kt_gate_init(&gate);
	for (i = 0; i < 2; i++)
		kt_job_init(&job[i], kt_job_gated, &gate, i);
	KT_EXPECT_EQ(kpool_set_weight(&job[0].item, weight), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &job[0].item), 0);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 1));
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_QUEUE_DEPTH, 1), 0);
	KT_EXPECT_EQ(kpool_try_submit(pool, &job[0].item), 0);
	KT_EXPECT_EQ(kpool_tune(pool, KPOOL_TUNE_QUEUE_DEPTH, KPOOL_NONE), 0);
	kt_gate_let_one(&gate);
	KT_EXPECT(kt_wait(!kt_stat(pool, running)));
	KT_EXPECT_EQ(kpool_try_submit(pool, &job[1].item), -EAGAIN);
	kpool_resume(pool);
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 2);
	KT_EXPECT_EQ(kpool_try_submit(pool, &job[1].item), 0);
	kt_pool_end(pool);
}

/* An item that flushes another from its first run. */
static struct {
	struct kt_job	self, heavy, light;
	struct kt_gate	begin, held, free;
	int		got;
} hidden;

static int flushes_heavy(struct kpool_item *item)
{
	if (atomic_read(&hidden.begin.started))
		return 0;
	kt_gate_pass(&hidden.begin);
	WRITE_ONCE(hidden.got, kpool_flush_item(&hidden.heavy.item));
	return 0;
}

/*
 * An item is first in the queue, behind its own run, which sleeps for a heavier
 * item behind it.  When a unit is free, the first is parked, and then nothing
 * can start.
 * Fails (waits for long) if it is taken for one that can start.
 */
static void item_behind_its_run_hides_no_deadlock(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 2, .queue_depth = KPOOL_UNLIMITED,
	};
	struct kpool *pool = kt_pool("hides", &attrs);

	if (!pool)
		return;
	kt_gate_init(&hidden.begin);
	kt_gate_init(&hidden.held);
	kt_gate_init(&hidden.free);
	hidden.got = 1;
	kt_job_init(&hidden.self, flushes_heavy, &hidden.free, 0);
	kt_job_init(&hidden.light, kt_job_gated, &hidden.held, 1);
	kt_job_init(&hidden.heavy, kt_job_tiny, &hidden.free, 2);
	KT_EXPECT_EQ(kpool_set_weight(&hidden.heavy.item, 2), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &hidden.self.item), 0);
	KT_EXPECT(kt_wait(atomic_read(&hidden.begin.started)));
	KT_EXPECT_EQ(kpool_submit(pool, &hidden.light.item), 0);
	KT_EXPECT(kt_wait(atomic_read(&hidden.held.started)));
	KT_EXPECT_EQ(kpool_submit(pool, &hidden.heavy.item), 0);
	kt_gate_open(&hidden.begin);
	kt_sleep_ms(20);
	KT_EXPECT_EQ(hidden.got, 1);
	KT_EXPECT_EQ(kpool_set_priority(&hidden.self.item, KPOOL_PRIO_HIGH), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &hidden.self.item), 0);
	kt_gate_open(&hidden.held);
	KT_EXPECT(kt_wait_prompt(READ_ONCE(hidden.got) != 1));
	KT_EXPECT_EQ(hidden.got, -EDEADLK);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&hidden.free.finished), 1);
	kt_pool_end(pool);
}

/* A job that submits itself with a delay, once, and then waits at its gate. */
static struct {
	struct kpool_job	job;
	struct kpool		*pool;
	struct kt_gate		gate;
	int			err;
} later;

static int later_fn(struct kpool_item *item)
{
	if (later.err == 1)
		later.err = kpool_submit_delayed(later.pool, &later.job, HZ / 10);
	return kt_gate_pass(&later.gate);
}

static int flush_later(void *unused)
{
	return kpool_flush_item(&later.job.item);
}

/*
 * A flush begins while the job runs and its next run is delayed; behind it are
 * items that can start without the lock.
 * Fails (hangs) if the run ends without the lock then, and so without a look at
 * the waiters for the next: mutant wait-for-the-next-run-ends-fast.
 */
static void flush_of_a_running_delayed_job_waits(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .queue_depth = KPOOL_UNLIMITED,
	};
	struct kpool *pool = kt_pool("later", &attrs);
	static struct kt_job tiny[8];
	static struct kt_gate open;
	struct kt_thread flusher;
	int i;

	if (!pool)
		return;
	memset(&later, 0, sizeof(later));
	kpool_init_job(&later.job, later_fn);
	kt_gate_init(&later.gate);
	kt_gate_init(&open);
	later.pool = pool;
	later.err = 1;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	KT_EXPECT_EQ(kpool_submit(pool, &later.job.item), 0);
	for (i = 0; i < ARRAY_SIZE(tiny); i++) {
		kt_job_init(&tiny[i], kt_job_tiny, &open, i);
		KT_EXPECT_EQ(kpool_submit(pool, &tiny[i].item), 0);
	}
	kpool_resume(pool);
	KT_EXPECT(kt_wait(atomic_read(&later.gate.started)));
	if (kt_thread_start(&flusher, flush_later, NULL)) {
		KT_EXPECT(kt_thread_asleep(&flusher));
		kt_gate_open(&later.gate);
		KT_EXPECT_EQ(kt_thread_join(&flusher), 0);
	}
	kt_gate_open(&later.gate);
	KT_EXPECT_EQ(later.err, 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&later.gate.finished), 2);
	kt_pool_end(pool);
}

/* An item that counts how often it is entered. */
struct entered {
	struct kpool_item	item;
	atomic_t		inside;
	int			runs;	/* plain: never two at once */
};

static struct kpool *stress_pool;
static struct entered stress[3];
static atomic_t stress_accepted;

static int entered_fn(struct kpool_item *item)
{
	struct entered *e = container_of(item, struct entered, item);

	KT_EXPECT_EQ(atomic_inc_return(&e->inside), 1);
	e->runs++;
	cpu_relax();
	if (e->runs % 64 == 0)
		usleep_range(10, 50);
	atomic_dec(&e->inside);
	return 0;
}

static int stress_main(void *arg)
{
	int i, err;

	for (i = 0; i < kt_count(20000); i++) {
		err = kpool_submit(stress_pool, &stress[i % 3].item);
		if (!err)
			atomic_inc(&stress_accepted);
		else
			KT_EXPECT_EQ(err, -EALREADY);
		if (i % 256 == 0)
			usleep_range(10, 50);
	}
	return 0;
}

/*
 * However many submit it, an item never runs on two workers at once, and runs
 * once per submission.
 * Fails if the look whether it runs and its start are not under one lock, or
 * a submission while it runs is forgotten.
 */
static void item_never_runs_on_two_workers_at_once(void)
{
	static struct kt_thread t[4];
	int i, runs = 0;

	stress_pool = kt_pool("stress", &roomy);
	if (!stress_pool)
		return;
	atomic_set(&stress_accepted, 0);
	for (i = 0; i < 3; i++) {
		memset(&stress[i], 0, sizeof(stress[i]));
		kpool_init_item(&stress[i].item, entered_fn);
	}
	for (i = 0; i < 4; i++)
		kt_thread_start(&t[i], stress_main, NULL);
	for (i = 0; i < 4; i++)
		kt_thread_join(&t[i]);
	for (i = 0; i < 3; i++) {
		KT_EXPECT_EQ(kpool_flush_item(&stress[i].item), 0);
		runs += stress[i].runs;
	}
	KT_EXPECT_EQ(runs, atomic_read(&stress_accepted));
	kt_pool_end(stress_pool);
}

static int free_fn(struct kpool_item *item)
{
	struct kt_job *job = kt_job_of(item);
	struct kt_gate *gate = job->gate;

	memset(job, 0x5a, sizeof(*job));
	kvfree(job);
	atomic_inc(&gate->finished);
	return 0;
}

/*
 * An item can free itself.
 * Fails (KASAN; elsewhere by the poison) if the worker touches the item after
 * its function.
 */
static void item_may_free_itself(void)
{
	struct kpool *pool = kt_pool("free", &roomy);
	static struct kt_gate gate;
	struct kt_job *job;
	int i;

	if (!pool)
		return;
	kt_gate_init(&gate);
	for (i = 0; i < 500; i++) {
		job = kt_jobs(1, free_fn, &gate);
		if (!job)
			break;
		KT_EXPECT_EQ(kpool_submit(pool, &job->item), 0);
	}
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), i);
	kt_pool_end(pool);
}

static struct kpool *renew_pool;
static struct kt_job renewed;

static int renew_fn(struct kpool_item *item)
{
	struct kt_gate *gate = kt_job_of(item)->gate;

	kt_job_init(&renewed, kt_job_tiny, gate, 1);
	KT_EXPECT_EQ(kpool_submit(renew_pool, item), 0);
	return 0;
}

/*
 * An item can be initialized anew inside its function, as if it had been freed
 * and its memory used again.  It is then submitted to any pool.
 * Fails if the worker goes by what it finds in the item after the function.
 * Also fails if the first run is mistaken for one of the new item's.
 */
static void item_may_be_reinitialized_inside(void)
{
	struct kpool *pool = kt_pool("renew", &roomy);
	struct kpool *other = kt_pool("other", &roomy);
	static struct kt_gate gate;
	int i;

	if (!pool || !other)
		goto out;
	for (i = 0; i < 2; i++) {
		renew_pool = i ? other : pool;
		kt_gate_init(&gate);
		kt_job_init(&renewed, renew_fn, &gate, 0);
		KT_EXPECT_EQ(kpool_submit(pool, &renewed.item), 0);
		KT_EXPECT(kt_wait(atomic_read(&gate.finished) == 1));
		KT_EXPECT_EQ(kpool_flush_item(&renewed.item), 0);
	}
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(kt_stat(other, completed), 1);
	KT_EXPECT_EQ(kt_stat(pool, completed), 3);
out:
	kt_pool_end(other);
	kt_pool_end(pool);
}

/* The item that another submits from inside a pool that has no room. */
static struct {
	struct kpool	*pool;
	int		err;
	atomic_t	ran;		/* those that were submitted inside */
} inside;

static int inside_call(void *arg)
{
	atomic_inc(&inside.ran);
	return 0;
}

/* kpool has freed the item of this call, and allocates one alike. */
static int calls_again(void *arg)
{
	inside.err = kpool_submit_fn(inside.pool, inside_call, NULL, GFP_KERNEL);
	return 0;
}

static int frees_itself(struct kpool_item *item)
{
	kfree(item);
	atomic_inc(&inside.ran);
	return 0;
}

static struct kpool_item *fresh_item(kpool_item_fn fn)
{
	struct kpool_item *item = kmalloc_obj(*item, GFP_KERNEL);

	if (KT_EXPECT(item))
		kpool_init_item(item, fn);
	return item;
}

/* Freed, and the next one is likely to get its memory. */
static int replaces_itself(struct kpool_item *item)
{
	struct kpool_item *next;

	kfree(item);
	next = fresh_item(frees_itself);
	if (!next)
		return -ENOMEM;
	inside.err = kpool_submit(inside.pool, next);
	if (inside.err)
		kfree(next);
	return 0;
}

static int inside_item(struct kpool_item *item)
{
	atomic_inc(&inside.ran);
	return 0;
}

/* Certain to have the same memory. */
static int renews_itself(struct kpool_item *item)
{
	kpool_init_item(item, inside_item);
	inside.err = kpool_submit(inside.pool, item);
	return 0;
}

static const char *const successors[] = {
	"by-function", "freed", "renewed", NULL
};

static int submit_predecessor(int successor, struct kpool_item *last)
{
	struct kpool_item *item;

	if (successor == 0)
		return kpool_submit_fn(inside.pool, calls_again, NULL,
				       GFP_KERNEL);
	if (successor == 1) {
		item = fresh_item(replaces_itself);
		return item ? kpool_submit(inside.pool, item) : -ENOMEM;
	}
	kpool_init_item(last, renews_itself);
	return kpool_submit(inside.pool, last);
}

static void expect_refused_inside(int successor,
				  const struct kpool_attrs *attrs, int err)
{
	static struct kpool_item last;
	int i, n = kt_count(200);

	inside.pool = kt_pool("inside", attrs);
	if (!inside.pool)
		return;
	atomic_set(&inside.ran, 0);
	for (i = 0; i < n; i++) {
		inside.err = 1;
		if (!KT_EXPECT_EQ(submit_predecessor(successor, &last), 0))
			break;
		KT_EXPECT_EQ(kpool_flush(inside.pool), 0);
		KT_EXPECT_EQ(inside.err, err);
	}
	KT_EXPECT_EQ(atomic_read(&inside.ran), 0);
	KT_EXPECT_EQ(kt_stat(inside.pool, submitted), i);
	kt_pool_end(inside.pool);
}

/*
 * A new item that has the memory of the one which submits it is not that one.
 * On a full pool it needs room as any other, and there is none.
 * Fails if the address alone makes a self-submission, so that a pool takes in
 * more than its bound.
 */
static void successor_in_the_same_memory_needs_room(int successor)
{
	static const struct kpool_attrs nonblocking = {
		.capacity = 1, .nonblocking = 1,
	};

	expect_refused_inside(successor, &nonblocking, -EAGAIN);
	expect_refused_inside(successor, &one, -EDEADLK);
}

/*
 * An idle item can go to another pool; one that is pending is -EALREADY there,
 * and one that runs -EBUSY.
 * Fails if only the pool it is submitted to is checked: it could run in both at
 * once.
 */
static void item_changes_pool_only_when_idle(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 1 };
	static struct full f;
	static struct kt_job queued;
	struct kpool *other = kt_pool("other", &roomy);

	if (!other || !full_make(&f, &attrs))
		goto out;
	kt_job_init(&queued, kt_job_tiny, &f.gate, 1);
	KT_EXPECT_EQ(kpool_submit(f.pool, &queued.item), 0);
	KT_EXPECT_EQ(kpool_submit(other, &queued.item), -EALREADY);
	KT_EXPECT_EQ(kpool_submit(other, &f.job[0].item), -EBUSY);
	KT_EXPECT_EQ(kpool_try_submit(other, &f.job[0].item), -EBUSY);
	KT_EXPECT_EQ(kt_stat(other, submitted), 0);
	kt_gate_open(&f.gate);
	KT_EXPECT_EQ(kpool_flush(f.pool), 0);
	KT_EXPECT_EQ(atomic_read(&f.gate.finished), 2);
	KT_EXPECT_EQ(kpool_submit(other, &f.job[0].item), 0);
	KT_EXPECT_EQ(kpool_submit(other, &queued.item), 0);
	KT_EXPECT_EQ(kpool_flush(other), 0);
	KT_EXPECT_EQ(atomic_read(&f.gate.finished), 4);
	KT_EXPECT_EQ(kt_stat(other, completed), 2);
out:
	full_end(&f);
	kt_pool_end(other);
}

/*
 * An item outlives its pool: idle, it can be submitted to the next one.
 * Fails if submit follows what the item remembers of a pool that is freed.
 */
static void item_outlives_its_pool(void)
{
	static struct kt_job job;
	static struct kt_gate gate;
	struct kpool *pool;
	int i;

	kt_gate_init(&gate);
	kt_job_init(&job, kt_job_tiny, &gate, 0);
	for (i = 0; i < 20; i++) {
		pool = kt_pool("mortal", &one);
		if (!pool)
			return;
		KT_EXPECT_EQ(kpool_submit(pool, &job.item), 0);
		kt_pool_end(pool);
		KT_EXPECT(!kpool_is_pending(&job.item));
		KT_EXPECT(!kpool_cancel(&job.item));
		KT_EXPECT_EQ(kpool_flush_item(&job.item), 0);
		KT_EXPECT_EQ(kpool_cancel_sync(&job.item), 0);
	}
	KT_EXPECT_EQ(atomic_read(&gate.finished), 20);
}

/* Plain variables on both sides: only the pool orders them. */
struct mirror {
	struct kpool_item	item;
	unsigned long		value;
	unsigned long		seen[8];
};

static int mirror_fn(struct kpool_item *item)
{
	struct mirror *m = container_of(item, struct mirror, item);
	int i;

	for (i = 0; i < ARRAY_SIZE(m->seen); i++)
		m->seen[i] = m->value;
	return 0;
}

static void mirror_expect(struct mirror *m, unsigned long value)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(m->seen); i++)
		KT_EXPECT_EQ(m->seen[i], value);
}

/*
 * A run that starts after a submit sees what was stored before that, even if it
 * got -EALREADY.  What that run stored is seen after a flush.
 * Fails where -EALREADY is decided without the lock or a full barrier (on
 * weakly ordered machines), or flush returns before the run's end.
 */
static void stores_before_submit_are_seen(void)
{
	static struct mirror m;
	struct kpool *pool = kt_pool("mirror", &roomy);
	unsigned long n;
	int err;

	if (!pool)
		return;
	kpool_init_item(&m.item, mirror_fn);
	for (n = 0; n < kt_count(20000); n += 2) {
		m.value = n;
		err = kpool_submit(pool, &m.item);
		KT_EXPECT(!err || err == -EALREADY);
		if (n % 3 == 0)
			cpu_relax();
		m.value = n + 1;
		err = kpool_submit(pool, &m.item);
		KT_EXPECT(!err || err == -EALREADY);
		if (n & 2)
			KT_EXPECT_EQ(kpool_flush_item(&m.item), 0);
		else
			KT_EXPECT_EQ(kpool_flush(pool), 0);
		mirror_expect(&m, n + 1);
	}
	kt_pool_end(pool);
}

/*
 * After cancel_sync the item's run, if there was one, is over and its stores
 * are seen: either none of them or all.
 * Fails if cancel_sync returns while the function runs.
 */
static void stores_are_seen_after_cancel_sync(void)
{
	static struct mirror m;
	struct kpool *pool = kt_pool("mirror", &roomy);
	unsigned long n, before;
	int ret;

	if (!pool)
		return;
	kpool_init_item(&m.item, mirror_fn);
	memset(m.seen, 0, sizeof(m.seen));
	for (n = 1; n < kt_count(10000); n++) {
		before = m.seen[0];
		m.value = n;
		KT_EXPECT_EQ(kpool_submit(pool, &m.item), 0);
		if (n % 2)
			usleep_range(1, 20);
		ret = kpool_cancel_sync(&m.item);
		KT_EXPECT_GE(ret, 0);
		mirror_expect(&m, ret ? before : n);
	}
	kt_pool_end(pool);
}

/*
 * An item can be submitted again when the worker that ran it has gone.
 * Fails (KASAN) if that worker's memory has gone, too: mutant
 * worker-memory-freed.
 */
static void item_outlives_its_worker(void)
{
	static const struct kpool_attrs attrs = {
		.capacity = 1, .expiry_ms = 1,
	};
	struct kpool *pool = kt_pool("outlives", &attrs);
	struct kt_gate gate;
	struct kt_job job;
	int i;

	if (!pool)
		return;
	kt_gate_init(&gate);
	kt_job_init(&job, kt_job_tiny, &gate, 0);
	for (i = 1; i <= 5; i++) {
		KT_EXPECT_EQ(kpool_submit(pool, &job.item), 0);
		KT_EXPECT(kt_wait(kt_stat(pool, purged) == i));
		KT_EXPECT_EQ(kt_stat(pool, alive), 0);
	}
	KT_EXPECT_EQ(atomic_read(&gate.finished), 5);
	kt_pool_end(pool);
}

/*
 * An item that was given to another pool is no longer asked which worker of the
 * first ran it.
 * Fails (KASAN) if it remembers: mutant migrated-with-worker.
 */
static void item_does_not_follow_workers_of_its_old_pool(void)
{
	static const struct kpool_attrs attrs = { .capacity = 1 };
	struct kpool *first = kt_pool("first", &attrs);
	struct kpool *second = kt_pool("second", &attrs);
	struct kt_gate gate;
	struct kt_job job;

	if (!first || !second)
		goto out;
	kt_gate_init(&gate);
	kpool_init_item_onstack(&job.item, kt_job_tiny);
	job.gate = &gate;
	KT_EXPECT_EQ(kpool_submit(first, &job.item), 0);
	KT_EXPECT_EQ(kpool_flush_item(&job.item), 0);
	KT_EXPECT_EQ(kpool_pause(second), 0);
	KT_EXPECT_EQ(kpool_submit(second, &job.item), 0);
	kt_pool_end(first);
	first = NULL;
	kpool_resume(second);
	KT_EXPECT_EQ(kpool_flush_item(&job.item), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 2);
	kpool_destroy_item_onstack(&job.item);
out:
	kt_pool_end(first);
	kt_pool_end(second);
}

/* Handover to a pool whose inbox is open */

static struct behind {
	struct full		full;
	struct order		order;
	struct kpool_item	before[2], item;
} behind;

static int notes_its_turn(struct kpool_item *item)
{
	order_note(&behind.order, item - behind.before);
	return 0;
}

static int hands_itself_over_behind(struct kpool_item *item)
{
	struct kpool *next = behind.full.pool;
	int i;

	if (kpool_current() == next) {
		order_note(&behind.order, ARRAY_SIZE(behind.before));
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(behind.before); i++)
		KT_EXPECT_EQ(kpool_submit(next, &behind.before[i]), 0);
	return kpool_submit(next, item);
}

/*
 * The second of the items before it is submitted fast, unless the jiffy has
 * just changed.
 * Fails (the item runs before that one) if the pool's lock is taken, but its
 * inbox is not closed: mutant handover-leaves-rings-open.
 */
static void item_handed_over_runs_behind_fast_submits(void)
{
	const struct kpool_attrs deep = { .capacity = 1, .queue_depth = 8 };
	struct behind *b = &behind;
	struct kpool *own = kt_pool("own", &one);
	int i;

	if (!own)
		return;
	if (full_make(&b->full, &deep)) {
		order_init(&b->order);
		for (i = 0; i < ARRAY_SIZE(b->before); i++)
			kpool_init_item(&b->before[i], notes_its_turn);
		kpool_init_item(&b->item, hands_itself_over_behind);
		KT_EXPECT_EQ(kpool_submit(own, &b->item), 0);
		KT_EXPECT_EQ(kpool_flush(own), 0);
		KT_EXPECT_EQ(kt_stat(b->full.pool, pending), 3);
		full_end(&b->full);
		order_expect_rising(&b->order, 3);
	}
	kt_pool_end(own);
}

/* Handovers that the next pool refuses */

static struct handover {
	struct kpool	*next;
	struct kt_gate	gate;
	int		(*submit)(struct kpool *pool, struct kpool_item *item);
	int		got, again;	/* by the handover, by a submit after it */
	atomic_t	inside, most, runs;
} handover;

static int submit_briefly(struct kpool *pool, struct kpool_item *item)
{
	return kpool_submit_timeout(pool, item, 2);
}

static int submit_later(struct kpool *pool, struct kpool_item *item)
{
	kpool_shutdown(pool);
	return kpool_submit_delayed(pool, kpool_job_of(item), 1);
}

static int submit_closed(struct kpool *pool, struct kpool_item *item)
{
	kpool_shutdown(pool);
	return kpool_submit(pool, item);
}

static int (*const handovers[])(struct kpool *pool, struct kpool_item *item) = {
	kpool_try_submit, kpool_submit_now, submit_briefly, submit_later,
	submit_closed,
};

static const int refusals[] = { -EAGAIN, -EAGAIN, -ETIMEDOUT, -ESHUTDOWN, -ESHUTDOWN };

static const char *const handover_names[] = {
	"try", "now", "timeout", "delayed", "closed", NULL
};

static int hands_over(struct kpool_item *item)
{
	struct kpool *own = kpool_current();
	struct handover *h = &handover;

	if (atomic_inc_return(&h->inside) > 1)
		atomic_set(&h->most, 2);
	if (atomic_inc_return(&h->runs) == 1) {
		h->got = h->submit(h->next, item);
		if (!h->got)
			goto out;
		kt_gate_pass(&h->gate);
		h->again = kpool_try_submit(own, item);
		kt_sleep_ms(20);
	} else if (!h->got) {
		kt_gate_pass(&h->gate);
	}
out:
	atomic_dec(&h->inside);
	return 0;
}

/* Submit the job to a pool with @capacity; its function, to a full one. */
static struct kpool *handover_begin(struct kpool_job *job, struct full *f, int capacity)
{
	const struct kpool_attrs attrs = { .capacity = capacity };
	struct kpool *own = kt_pool("own", &attrs);

	if (!own || !full_make(f, &one)) {
		kt_pool_end(own);
		return NULL;
	}
	handover = (struct handover) { .next = f->pool, .submit = handover.submit };
	kt_gate_init(&handover.gate);
	kpool_init_job(job, hands_over);
	KT_EXPECT_EQ(kpool_submit(own, &job->item), 0);
	return own;
}

/*
 * Block in the handover, and have a thread wait for the job, by @wait, once its
 * function is asleep in the submit.
 */
static struct kpool *handover_blocks(struct kpool_job *job, struct full *f,
				     struct kt_thread *waiter, int (*wait)(void *item))
{
	struct kpool *own;

	handover.submit = kpool_submit;
	own = handover_begin(job, f, 1);
	if (!own)
		return NULL;
	KT_EXPECT(kt_wait(kt_stat(f->pool, blocked) == 1));
	if (kt_thread_start(waiter, wait, &job->item))
		KT_EXPECT(kt_thread_asleep(waiter));
	return own;
}

static int flush_item_main(void *item)
{
	return kpool_flush_item(item);
}

/*
 * The item runs in its own pool as before: it can be flushed and submitted
 * again, also with a unit free.
 * Fails (two runs at once, or no wait for the first) if the other pool keeps
 * it: mutants refused-handover-keeps-the-owner,
 * closed-handover-keeps-the-owner, refused-now-keeps-the-owner,
 * refused-delay-keeps-the-owner.
 */
static void refused_handover_changes_nothing(int way)
{
	static struct kpool_job job;
	static struct full f;
	struct kt_thread flusher;
	struct kpool *own;

	handover.submit = handovers[way];
	own = handover_begin(&job, &f, 2);
	if (!own)
		return;
	KT_EXPECT(kt_wait(atomic_read(&handover.gate.started)));
	KT_EXPECT_EQ(handover.got, refusals[way]);
	if (kt_thread_start(&flusher, flush_item_main, &job.item))
		KT_EXPECT(kt_thread_asleep(&flusher));
	kt_gate_open(&handover.gate);
	KT_EXPECT_EQ(kt_thread_join(&flusher), 0);
	KT_EXPECT_EQ(kpool_flush(own), 0);
	KT_EXPECT_EQ(handover.again, 0);
	KT_EXPECT_EQ(atomic_read(&handover.runs), 2);
	KT_EXPECT_EQ(atomic_read(&handover.most), 0);
	kt_pool_end(own);
	full_end(&f);
}

static int cancel_sync_main(void *item)
{
	return kpool_cancel_sync(item);
}

static int destroy_main(void *pool)
{
	return kpool_destroy(pool);
}

/*
 * The waiter waits for the function, too, which is asleep in the submit, and in
 * the pool that the item has returned to.  The other can be destroyed.
 * Fails (returns at once) if the item does not return: mutant
 * failed-handover-keeps-the-owner.
 * Fails (destroy waits) if it waits in the other: mutant
 * wait-for-an-item-that-returned.
 */
static void cancel_sync_of_a_blocked_handover_waits(void)
{
	static struct kpool_job job;
	struct kt_thread canceller, destroyer;
	static struct full f;
	struct kpool *own;

	own = handover_blocks(&job, &f, &canceller, cancel_sync_main);
	if (!own)
		return;
	KT_EXPECT(kt_wait(atomic_read(&handover.gate.started)));
	KT_EXPECT_EQ(handover.got, -ECANCELED);
	KT_EXPECT(!kt_thread_done(&canceller));
	kt_gate_open(&f.gate);
	if (kt_thread_start(&destroyer, destroy_main, f.pool)) {
		f.pool = NULL;
		KT_EXPECT(kt_wait(kt_thread_done(&destroyer)));
	}
	kt_gate_open(&handover.gate);
	if (!f.pool)
		KT_EXPECT_EQ(kt_thread_join(&destroyer), 0);
	KT_EXPECT_EQ(kt_thread_join(&canceller), 0);
	KT_EXPECT_EQ(handover.again, -ECANCELED);
	KT_EXPECT_EQ(atomic_read(&handover.inside), 0);
	kt_pool_end(own);
	full_end(&f);
}

static const char *const decisions[] = { "refused", "admitted", NULL };

/*
 * So does a flush.  If the item is refused, it waits for the function that
 * sleeps in the submit, or else for the run in the other pool.
 * Fails (returns at once, or too early) if the item counts as idle: mutants
 * blocked-handover-is-idle, flusher-not-returned, flusher-returned-too-early.
 */
static void flush_of_a_blocked_handover_waits(int admitted)
{
	static struct kpool_job job;
	struct kt_thread flusher;
	static struct full f;
	struct kpool *own;

	own = handover_blocks(&job, &f, &flusher, flush_item_main);
	if (!own)
		return;
	if (admitted)
		kt_gate_open(&f.gate);
	else
		kpool_shutdown(f.pool);
	KT_EXPECT(kt_wait(atomic_read(&handover.gate.started)));
	KT_EXPECT(kt_thread_asleep(&flusher));
	kt_gate_open(&handover.gate);
	KT_EXPECT_EQ(kt_thread_join(&flusher), 0);
	KT_EXPECT_EQ(handover.got, admitted ? 0 : -ESHUTDOWN);
	KT_EXPECT_EQ(kpool_flush(own), 0);
	KT_EXPECT_EQ(atomic_read(&handover.inside), 0);
	KT_EXPECT_EQ(atomic_read(&handover.runs), 2);
	kt_pool_end(own);
	full_end(&f);
}

static int nr_tried;

static int submit_until_closed(struct kpool *pool, struct kpool_item *item)
{
	int err;

	do {
		WRITE_ONCE(nr_tried, nr_tried + 1);
		err = kpool_submit(pool, item);
	} while (err == -ECANCELED);
	return err;
}

/*
 * The first handover is cancelled, and the function sleeps in the next one
 * before the flusher looks.  That takes one CPU, as its worker has a higher
 * priority.
 * Fails (returns too early) if only a function that goes on is waited for:
 * mutant second-handover-not-awaited.
 */
static void flush_waits_through_two_handovers(void)
{
	static struct kpool_job job;
	struct kt_thread flusher;
	static struct full f;
	struct kpool *own;

	nr_tried = 0;
	handover.submit = submit_until_closed;
	own = handover_begin(&job, &f, 1);
	if (!own)
		return;
	KT_EXPECT(kt_wait(kt_stat(f.pool, blocked) == 1));
	KT_EXPECT_EQ(kpool_tune(own, KPOOL_TUNE_POLICY, KPOOL_POLICY_FIFO), 0);
	if (kt_thread_start(&flusher, flush_item_main, &job.item))
		KT_EXPECT(kt_thread_asleep(&flusher));
	KT_EXPECT(!kpool_cancel(&job.item));
	KT_EXPECT(kt_wait(READ_ONCE(nr_tried) == 2 && kt_stat(f.pool, blocked)));
	KT_EXPECT(kt_thread_asleep(&flusher));
	kpool_shutdown(f.pool);
	KT_EXPECT(kt_wait(atomic_read(&handover.gate.started)));
	KT_EXPECT(kt_thread_asleep(&flusher));
	kt_gate_open(&handover.gate);
	KT_EXPECT_EQ(kt_thread_join(&flusher), 0);
	KT_EXPECT_EQ(handover.got, -ESHUTDOWN);
	kt_pool_end(own);
	full_end(&f);
}

static struct kpool *elsewhere;

static int submit_then_elsewhere(struct kpool *pool, struct kpool_item *item)
{
	int err = kpool_submit(pool, item);

	KT_EXPECT_EQ(kpool_submit(elsewhere, item), 0);
	return err;
}

static int submit_then_later(struct kpool *pool, struct kpool_item *item)
{
	int err = kpool_submit(pool, item);

	KT_EXPECT_EQ(kpool_submit_delayed(kpool_current(), kpool_job_of(item),
					  3600 * HZ), 0);
	return err;
}

static const char *const next_submits[] = { "elsewhere", "later", NULL };

/*
 * A handover is refused, and the function submits the item to another pool, or
 * with a delay, before the flusher looks.  That takes one CPU, as its worker
 * has a higher priority.
 * Fails (returns too early, or hangs) if the flush is for that submission:
 * mutants flusher-returned-too-early, flusher-waits-for-a-later-submission.
 */
static void flush_ends_with_the_run_that_is_refused(int later)
{
	static struct kpool_job job;
	struct kt_thread flusher;
	static struct full f;
	struct kpool *own;

	elsewhere = kt_pool("elsewhere", &roomy);
	if (!elsewhere)
		return;
	KT_EXPECT_EQ(kpool_pause(elsewhere), 0);
	handover.submit = later ? submit_then_later : submit_then_elsewhere;
	own = handover_begin(&job, &f, 1);
	if (!own)
		return;
	KT_EXPECT(kt_wait(kt_stat(f.pool, blocked) == 1));
	KT_EXPECT_EQ(kpool_tune(own, KPOOL_TUNE_POLICY, KPOOL_POLICY_FIFO), 0);
	if (kt_thread_start(&flusher, flush_item_main, &job.item))
		KT_EXPECT(kt_thread_asleep(&flusher));
	kpool_shutdown(f.pool);
	KT_EXPECT(kt_wait(atomic_read(&handover.gate.started)));
	KT_EXPECT(kt_thread_asleep(&flusher));
	kt_gate_open(&handover.gate);
	KT_EXPECT(kt_wait(kt_thread_done(&flusher)));
	KT_EXPECT(kpool_cancel(&job.item));
	KT_EXPECT_EQ(kt_thread_join(&flusher), 0);
	KT_EXPECT_EQ(handover.got, -ESHUTDOWN);
	kt_pool_end(elsewhere);
	kt_pool_end(own);
	full_end(&f);
}

static struct kt_gate lingers;

static int submit_and_linger(struct kpool *pool, struct kpool_item *item)
{
	int err = kpool_submit(pool, item);

	kt_gate_pass(&lingers);
	return err;
}

/*
 * A handover is accepted, and the function goes on without its item.
 * Fails (hangs) if a flush waits for that, too: mutant
 * flusher-waits-for-the-former-run.
 */
static void flush_ends_with_the_run_that_is_accepted(void)
{
	static struct kpool_job job;
	struct kt_thread flusher;
	static struct full f;
	struct kpool *own;

	kt_gate_init(&lingers);
	handover.submit = submit_and_linger;
	own = handover_begin(&job, &f, 1);
	if (!own)
		return;
	KT_EXPECT(kt_wait(kt_stat(f.pool, blocked) == 1));
	if (kt_thread_start(&flusher, flush_item_main, &job.item))
		KT_EXPECT(kt_thread_asleep(&flusher));
	kt_gate_open(&f.gate);
	KT_EXPECT(kt_wait(atomic_read(&handover.gate.started)));
	KT_EXPECT(kt_thread_asleep(&flusher));
	kt_gate_open(&handover.gate);
	KT_EXPECT(kt_wait(kt_thread_done(&flusher)));
	KT_EXPECT(kt_wait(atomic_read(&lingers.started) == 1));
	kt_gate_open(&lingers);
	KT_EXPECT_EQ(kt_thread_join(&flusher), 0);
	kt_pool_end(own);
	full_end(&f);
}

static struct kpool_job handed, flushing;
static int flushing_got, handed_got;

static int flushes_handed(struct kpool_item *item)
{
	flushing_got = kpool_flush_item(&handed.item);
	return 0;
}

static int submit_then_flush(struct kpool *pool, struct kpool_item *item)
{
	int err = kpool_submit(pool, item);

	handed_got = kpool_flush_item(&flushing.item);
	return err;
}

/*
 * A handover is refused, and the function waits for the one that waits for it,
 * before that looks.  A third item runs: not all are asleep.
 * Fails (hangs) if the flush does not look for a cycle when it waits again:
 * mutant flush-of-a-refused-handover-unchecked.
 */
static void flush_of_a_refused_handover_closes_a_cycle(void)
{
	static struct full f;
	struct kt_gate gate;
	struct kt_job busy;
	struct kpool *own;

	handover.submit = submit_then_flush;
	own = handover_begin(&handed, &f, 3);
	if (!own)
		return;
	kt_gate_init(&gate);
	kt_job_init(&busy, kt_job_gated, &gate, 0);
	KT_EXPECT_EQ(kpool_submit(own, &busy.item), 0);
	kt_gate_open(&handover.gate);
	KT_EXPECT(kt_wait(kt_stat(f.pool, blocked) == 1));
	kpool_init_job(&flushing, flushes_handed);
	KT_EXPECT_EQ(kpool_submit(own, &flushing.item), 0);
	KT_EXPECT(kt_wait(kt_stat(own, running) == 3));
	kt_sleep_ms(10);
	KT_EXPECT_EQ(kpool_tune(own, KPOOL_TUNE_POLICY, KPOOL_POLICY_FIFO), 0);
	kpool_shutdown(f.pool);
	KT_EXPECT(kt_wait(kt_stat(own, running) == 1));
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kpool_flush(own), 0);
	KT_EXPECT_EQ(handover.got, -ESHUTDOWN);
	KT_EXPECT_EQ(flushing_got + handed_got, -EDEADLK);
	kt_pool_end(own);
	full_end(&f);
}

/*
 * The next run of an item that runs is cancelled, while a flush waits for it.
 * The first has not ended, for the flush nor for a later wait.
 * Fails (a wait returns) if the item no longer knows its run: mutant
 * running-item-forgotten-by-cancel.
 */
static void cancel_of_the_next_run_keeps_the_first(void)
{
	struct kpool *pool = kt_pool("again", &roomy);
	struct kt_thread flusher = { }, canceller = { };
	struct kt_gate gate;
	struct kt_job job;

	if (!pool)
		return;
	kt_gate_init(&gate);
	kt_job_init(&job, kt_job_gated, &gate, 0);
	if (!KT_EXPECT_EQ(kpool_submit(pool, &job.item), 0) ||
	    !KT_EXPECT(kt_wait(atomic_read(&gate.started))) ||
	    !KT_EXPECT_EQ(kpool_submit(pool, &job.item), 0) ||
	    !kt_thread_start(&flusher, flush_item_main, &job.item) ||
	    !kt_thread_asleep(&flusher))
		goto out;
	KT_EXPECT(kpool_cancel(&job.item));
	if (kt_thread_start(&canceller, cancel_sync_main, &job.item))
		kt_thread_asleep(&canceller);
	KT_EXPECT(!kt_thread_done(&flusher));
out:
	kt_gate_open(&gate);
	if (canceller.task)
		KT_EXPECT_EQ(kt_thread_join(&canceller), 0);
	if (flusher.task)
		KT_EXPECT_EQ(kt_thread_join(&flusher), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 1);
	kt_pool_end(pool);
}

/* An item that submits itself when asked to, and lingers. */
struct lingering {
	struct kpool_job	job;
	struct kpool		*pool;
	struct kt_gate		before, after;
	int			way;
	int			err;
};

static int lingering_fn(struct kpool_item *item)
{
	struct lingering *l = container_of(item, struct lingering, job.item);

	kt_gate_pass(&l->before);
	l->err = l->way ? kpool_submit_delayed(l->pool, &l->job, 1) :
			  kpool_submit(l->pool, item);
	return kt_gate_pass(&l->after);
}

static const char *const self_submits[] = { "submit", "delayed", NULL };

/*
 * An item submits itself while another submitter is blocked with it.  Its
 * submit gets -EALREADY, as the other succeeds at once, and the run that
 * follows cannot be lost.
 * Fails (the submitter sleeps on, and could give up) if the item is not
 * accepted: mutant self-submission-leaves-it-to-the-blocked.
 */
static void self_submission_ends_a_blocked_submit(int way)
{
	struct kpool *pool = kt_pool("again", &one);
	static struct lingering l;
	struct kt_submitter s = { };

	if (!pool)
		return;
	l = (struct lingering){ .pool = pool, .way = way };
	kpool_init_job(&l.job, lingering_fn);
	kt_gate_init(&l.before);
	kt_gate_init(&l.after);
	KT_EXPECT_EQ(kpool_submit(pool, &l.job.item), 0);
	KT_EXPECT(kt_wait(atomic_read(&l.before.started)));
	if (!kt_submitter_block(&s, pool, &l.job.item))
		goto out;
	kt_gate_open(&l.before);
	KT_EXPECT(kt_wait(atomic_read(&l.after.started)));
	KT_EXPECT_EQ(l.err, -EALREADY);
	KT_EXPECT(kt_wait(kt_thread_done(&s.thread)));
	KT_EXPECT(kpool_is_pending(&l.job.item));
	KT_EXPECT(kpool_cancel(&l.job.item));
out:
	kt_gate_open(&l.before);
	kt_gate_open(&l.after);
	if (s.thread.task)
		KT_EXPECT_EQ(kt_thread_join(&s.thread), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&l.after.finished), 1);
	kt_pool_end(pool);
}

KT_MODULE("kpool selftest: items submitted again",
	  KT_CASE(self_submission_starves_no_submitter),
	  KT_CASE(self_submission_needs_no_room),
	  KT_EACH(self_submission_ends_a_blocked_submit, self_submits),
	  KT_CASE(closing_and_disable_end_self_submission),
	  KT_CASE(item_submitted_while_it_runs_starts_after),
	  KT_CASE(cancel_of_the_next_run_keeps_the_first),
	  KT_CASE(requeued_item_blocks_no_other),
	  KT_CASE(requeued_item_keeps_its_place),
	  KT_EACH(item_behind_its_run_takes_no_unit, weights),
	  KT_EACH(item_whose_run_has_ended_takes_a_unit, weights),
	  KT_CASE(item_behind_its_run_hides_no_deadlock),
	  KT_CASE(flush_of_a_running_delayed_job_waits),
	  KT_CASE(item_never_runs_on_two_workers_at_once),
	  KT_CASE(item_may_free_itself),
	  KT_CASE(item_may_be_reinitialized_inside),
	  KT_EACH(successor_in_the_same_memory_needs_room, successors),
	  KT_CASE(item_changes_pool_only_when_idle),
	  KT_CASE(item_outlives_its_pool),
	  KT_CASE(item_outlives_its_worker),
	  KT_CASE(item_does_not_follow_workers_of_its_old_pool),
	  KT_CASE(item_handed_over_runs_behind_fast_submits),
	  KT_EACH(refused_handover_changes_nothing, handover_names),
	  KT_CASE(cancel_sync_of_a_blocked_handover_waits),
	  KT_EACH(flush_of_a_blocked_handover_waits, decisions),
	  KT_CASE(flush_waits_through_two_handovers),
	  KT_EACH(flush_ends_with_the_run_that_is_refused, next_submits),
	  KT_CASE(flush_ends_with_the_run_that_is_accepted),
	  KT_CASE(flush_of_a_refused_handover_closes_a_cycle),
	  KT_CASE(stores_before_submit_are_seen),
	  KT_CASE(stores_are_seen_after_cancel_sync));
