// SPDX-License-Identifier: GPL-2.0-only
/*
 * An item oopses, in one scenario for kpool and for workqueues, and what then?
 *
 * What kpool does is asserted; what workqueues do is only printed, by the
 * parameter "table".  What never returns is left behind: this guest ends with
 * the test.
 */
#include <linux/cpumask.h>
#include <linux/workqueue.h>

#include "oops.h"

#define SLOTS		4

/* An item of either kind. */
struct duel_item {
	struct kpool_item	item;
	struct work_struct	work;
	struct kt_gate		gate;
	int			way;
};

static void duel_item_runs(struct duel_item *d)
{
	kt_gate_pass(&d->gate);
	die(d->way);
}

static int duel_kpool_fn(struct kpool_item *item)
{
	duel_item_runs(container_of(item, struct duel_item, item));
	return 0;
}

static void duel_work_fn(struct work_struct *work)
{
	duel_item_runs(container_of(work, struct duel_item, work));
}

/* Answers, NEVER being one that did not come; others are what was returned. */
enum { NEVER = -1000, NOT_ASKED, YES = 0 };

static const char *const questions[] = {
	"the next item runs",
	"flush of the oopsed item returns",
	"flush of all returns",
	"the oopsed item runs again",
	"work of others there runs",
	"slots of 4 left after 4 oopses",
	"destroy returns",
};

enum { NEXT, FLUSH_DEAD, FLUSH_ALL, AGAIN, OTHERS, SLOTS_LEFT, DESTROY,
	NR_QUESTIONS };

struct duel {
	const char	*name;
	bool		(*begin)(struct duel *d, int width);
	void		(*submit)(struct duel *d, struct duel_item *item);
	int		(*flush_item)(struct duel *d, struct duel_item *item);
	int		(*flush_all)(struct duel *d);	/* or NULL */
	int		(*end)(struct duel *d);		/* or NULL */
	bool		narrow;		/* cannot have four slots */

	struct kpool	*pool;
	struct workqueue_struct	*wq;
	struct duel_item dead, next, slot[SLOTS], killer[SLOTS];
	struct work_struct others;
	struct completion others_ran;
	struct kt_thread thread[NR_QUESTIONS];
	int		answer[NR_QUESTIONS];
};

/* kpool */

static bool pool_begin(struct duel *d, int width)
{
	const struct kpool_attrs attrs = {
		.capacity = width, .queue_depth = KPOOL_UNLIMITED,
	};

	d->pool = kt_pool("duel", &attrs);
	return d->pool;
}

static void pool_submit(struct duel *d, struct duel_item *item)
{
	KT_EXPECT_EQ(kpool_submit(d->pool, &item->item), 0);
}

static int pool_flush_item(struct duel *d, struct duel_item *item)
{
	return kpool_flush_item(&item->item);
}

static int pool_flush_all(struct duel *d)
{
	return kpool_flush(d->pool);
}

static int pool_end(struct duel *d)
{
	return kpool_destroy(d->pool);
}

/* Workqueues: on one of two CPUs, where there are two, so that one is left. */

static int duel_cpu(void)
{
	return cpumask_last(cpu_online_mask);
}

static bool ordered_begin(struct duel *d, int width)
{
	d->wq = alloc_ordered_workqueue("duel", 0);
	return KT_EXPECT(d->wq);
}

static bool max_active_begin(struct duel *d, int width)
{
	d->wq = alloc_workqueue("duel", WQ_UNBOUND, width);
	return KT_EXPECT(d->wq);
}

/*
 * The kernel's own, one for each CPU: it is never destroyed, or flushed as a
 * whole.
 */
static bool shared_begin(struct duel *d, int width)
{
	return true;
}

static void wq_submit(struct duel *d, struct duel_item *item)
{
	if (d->wq)
		queue_work(d->wq, &item->work);
	else
		schedule_work_on(duel_cpu(), &item->work);
}

static int wq_flush_item(struct duel *d, struct duel_item *item)
{
	flush_work(&item->work);
	return 0;
}

static int wq_flush_all(struct duel *d)
{
	flush_workqueue(d->wq);
	return 0;
}

static int wq_end(struct duel *d)
{
	destroy_workqueue(d->wq);
	return 0;
}

static struct duel duels[] = {
	{ "kpool", pool_begin, pool_submit, pool_flush_item, pool_flush_all,
	  pool_end },
	{ "ordered", ordered_begin, wq_submit, wq_flush_item, wq_flush_all,
	  wq_end, .narrow = true },
	{ "max_active", max_active_begin, wq_submit, wq_flush_item,
	  wq_flush_all, wq_end },
	{ "per-CPU", shared_begin, wq_submit, wq_flush_item, .narrow = true },
};

/* The scenario */

static void duel_item_init(struct duel_item *item, int way)
{
	kpool_init_item(&item->item, duel_kpool_fn);
	INIT_WORK(&item->work, duel_work_fn);
	kt_gate_init(&item->gate);
	item->way = way;
}

/* How long a thing can take before it counts as never. */
static unsigned long time_limit(const struct duel *d)
{
	return d->pool ? KT_LIMIT : 3 * HZ;
}

#define within_limit(d, cond)	kt_wait_for(cond, time_limit(d))

static int started(struct duel_item *item)
{
	return atomic_read(&item->gate.started);
}

/* The result of a thread of its own, or NEVER. */
static int asks(struct duel *d, int question, int (*fn)(void *arg))
{
	struct kt_thread *t = &d->thread[question];

	if (!kt_thread_start(t, fn, d))
		return NEVER;
	return within_limit(d, kt_thread_done(t)) ? kt_thread_join(t) : NEVER;
}

static int flushes_dead(void *arg)
{
	struct duel *d = arg;

	return d->flush_item(d, &d->dead);
}

static int flushes_all(void *arg)
{
	struct duel *d = arg;

	return d->flush_all(d);
}

static int ends(void *arg)
{
	struct duel *d = arg;

	return d->end(d);
}

static void others_fn(struct work_struct *work)
{
	complete(&container_of(work, struct duel, others)->others_ran);
}

/* Work that has nothing to do with it shares a CPU. */
static int others_run(struct duel *d)
{
	INIT_WORK(&d->others, others_fn);
	init_completion(&d->others_ran);
	schedule_work_on(duel_cpu(), &d->others);
	return wait_for_completion_timeout(&d->others_ran, time_limit(d)) ?
	       YES : NEVER;
}

static void one_dies(struct duel *d)
{
	struct kt_thread *flusher = &d->thread[FLUSH_DEAD];

	duel_item_init(&d->dead, DIE_NULL);
	duel_item_init(&d->next, SURVIVE);
	d->submit(d, &d->dead);
	KT_EXPECT(kt_wait(started(&d->dead)));
	kt_thread_start(flusher, flushes_dead, d);
	kt_thread_asleep(flusher);
	kt_gate_open(&d->dead.gate);
	kt_gate_open(&d->next.gate);
	kt_sleep_ms(100);
	d->submit(d, &d->next);
	d->answer[NEXT] = within_limit(d, started(&d->next)) ? YES : NEVER;
	d->answer[FLUSH_DEAD] = within_limit(d, kt_thread_done(flusher)) ?
				kt_thread_join(flusher) : NEVER;
	d->answer[FLUSH_ALL] = d->flush_all ?
			       asks(d, FLUSH_ALL, flushes_all) : NOT_ASKED;
	d->dead.way = SURVIVE;
	d->submit(d, &d->dead);
	d->answer[AGAIN] = within_limit(d, started(&d->dead) == 2) ?
			   YES : NEVER;
	d->answer[OTHERS] = others_run(d);
	d->answer[DESTROY] = d->end ? asks(d, DESTROY, ends) : NOT_ASKED;
}

static bool all_started(struct duel_item *item)
{
	int i, n = 0;

	for (i = 0; i < SLOTS; i++)
		n += !!started(&item[i]);
	return n == SLOTS;
}

/* Kill a worker in each of four slots: how many can be used afterwards? */
static int slots_left(struct duel *d)
{
	int i, n = 0;

	if (!d->begin(d, SLOTS))
		return NEVER;
	for (i = 0; i < SLOTS; i++) {
		duel_item_init(&d->killer[i], DIE_BUG);
		duel_item_init(&d->slot[i], SURVIVE);
		d->submit(d, &d->killer[i]);
	}
	KT_EXPECT(kt_wait(all_started(d->killer)));
	for (i = 0; i < SLOTS; i++)
		kt_gate_open(&d->killer[i].gate);
	kt_sleep_ms(500);
	for (i = 0; i < SLOTS; i++)
		d->submit(d, &d->slot[i]);
	within_limit(d, all_started(d->slot));
	for (i = 0; i < SLOTS; i++)
		n += !!started(&d->slot[i]);
	for (i = 0; i < SLOTS; i++)
		kt_gate_open(&d->slot[i].gate);
	return n;
}

static void duel_fight(struct duel *d)
{
	d->answer[SLOTS_LEFT] = d->narrow ? NOT_ASKED : slots_left(d);
	if (d->pool)
		KT_EXPECT_EQ(kpool_destroy(d->pool), 0);
	if (d->begin(d, 1))
		one_dies(d);
}

/*
 * A slot that a workqueue loses, kpool keeps.
 * Fails as the cases of oops.c do.
 */
static void kpool_keeps_working(void)
{
	struct duel *d = &duels[0];

	oopses_begin();
	duel_fight(d);
	oopses_end();
	KT_EXPECT_EQ(d->answer[NEXT], YES);
	KT_EXPECT_EQ(d->answer[FLUSH_DEAD], -EIO);
	KT_EXPECT_EQ(d->answer[FLUSH_ALL], 0);
	KT_EXPECT_EQ(d->answer[AGAIN], YES);
	KT_EXPECT_EQ(d->answer[OTHERS], YES);
	KT_EXPECT_EQ(d->answer[SLOTS_LEFT], SLOTS);
	KT_EXPECT_EQ(d->answer[DESTROY], 0);
}

/* From here on the guest is not what it was; nothing of this is asserted. */
static void workqueues_are_watched(void)
{
	int i;

	oopses_begin();
	for (i = 1; i < ARRAY_SIZE(duels); i++)
		duel_fight(&duels[i]);
	oopses_end();
}

/* The table */

static int answer_print(char *buf, size_t size, const struct duel *d, int i)
{
	int answer = d->answer[i];

	if (answer == NOT_ASKED)
		return scnprintf(buf, size, " %-10s", "-");
	if (i == SLOTS_LEFT)
		return scnprintf(buf, size, " %-10d", answer);
	if (answer == NEVER)
		return scnprintf(buf, size, " %-10s", "never");
	if (answer == -EIO)
		return scnprintf(buf, size, " %-10s", "-EIO");
	if (answer)
		return scnprintf(buf, size, " %-10d", answer);
	return scnprintf(buf, size, " %-10s", "yes");
}

static int table_get(char *buf, const struct kernel_param *kp)
{
	int i, k, len;

	len = scnprintf(buf, PAGE_SIZE, "%-32s", "");
	for (k = 0; k < ARRAY_SIZE(duels); k++)
		len += scnprintf(buf + len, PAGE_SIZE - len, " %-10s",
				 duels[k].name);
	for (i = 0; i < NR_QUESTIONS; i++) {
		len += scnprintf(buf + len, PAGE_SIZE - len, "\n%-32s",
				 questions[i]);
		for (k = 0; k < ARRAY_SIZE(duels); k++)
			len += answer_print(buf + len, PAGE_SIZE - len,
					    &duels[k], i);
	}
	return len + scnprintf(buf + len, PAGE_SIZE - len, "\n");
}

static const struct kernel_param_ops table_ops = { .get = table_get };
module_param_cb(table, &table_ops, NULL, 0400);
MODULE_PARM_DESC(table, "what each does after an oops");

KT_MODULE("kpool selftest: an oops in a pool and in workqueues",
	  KT_CASE(kpool_keeps_working),
	  KT_CASE(workqueues_are_watched));
