/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The base of every selftest module.
 *
 * A module has a table of cases, ended by KT_MODULE().  Its parameter "list"
 * names them.  Writing a name to "run" runs that case in the writer's context,
 * and the write fails if the case did.  "result" reports how the last one
 * ended.
 *
 * A case is a void function.  KT_EXPECT() and its kin record a failure, and log
 * it with file, line and values.  They say whether the expectation held, so
 * that a case that cannot go on writes
 *
 *	if (!KT_EXPECT(...))
 *		goto out;
 *
 * Real machines are noisy: a case asserts order and outcome, and waits with
 * kt_wait(), whose limit only a hang meets.  Durations are asserted under
 * simulated time alone, where kt_exact is true.
 */
#ifndef _KPOOL_SELFTEST_H
#define _KPOOL_SELFTEST_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "kpool.h"

/* How long a thing can take that ought to happen at once. */
#define KT_LIMIT	(60 * HZ)

static bool kt_exact;
module_param_named(exact, kt_exact, bool, 0400);
MODULE_PARM_DESC(exact, "time is simulated: assert durations, and use the true ones");

static int kt_slow = 1;
module_param_named(slow, kt_slow, int, 0400);
MODULE_PARM_DESC(slow, "divide the largest counts by this on a slow kernel");

/* Expectations */

static atomic_t kt_failures = ATOMIC_INIT(0);
static const char *kt_skip_reason;

/* Count a failure; say whether to log it, as one cause can have many. */
static inline bool kt_failed(void)
{
	return atomic_inc_return(&kt_failures) <= 20;
}

#define KT_EXPECT(cond)							\
({									\
	bool __held = !!(cond);						\
									\
	if (!__held && kt_failed())					\
		pr_err("%s: %s:%d: expected %s\n", KBUILD_MODNAME,	\
		       kbasename(__FILE__), __LINE__, #cond);		\
	__held;								\
})

#define __KT_EXPECT_OP(a, text_a, op, b, text_b)			\
({									\
	long long __a = (long long)(a), __b = (long long)(b);		\
	bool __held = __a op __b;					\
									\
	if (!__held && kt_failed())					\
		pr_err("%s: %s:%d: expected %s " #op " %s, but %lld and %lld\n", \
		       KBUILD_MODNAME, kbasename(__FILE__), __LINE__,	\
		       text_a, text_b, __a, __b);			\
	__held;								\
})

#define KT_EXPECT_EQ(a, b)	__KT_EXPECT_OP(a, #a, ==, b, #b)
#define KT_EXPECT_NE(a, b)	__KT_EXPECT_OP(a, #a, !=, b, #b)
#define KT_EXPECT_LE(a, b)	__KT_EXPECT_OP(a, #a, <=, b, #b)
#define KT_EXPECT_GE(a, b)	__KT_EXPECT_OP(a, #a, >=, b, #b)

/* End a case that this kernel or machine cannot run; return after it. */
static inline void kt_skip(const char *reason)
{
	kt_skip_reason = reason;
}

/*
 * Wait until a condition holds, for @limit ticks at most; its text can be
 * evaluated many times.
 */
#define kt_wait_for(cond, limit)					\
({									\
	unsigned long __end = jiffies + (limit);			\
	bool __held;							\
									\
	for (;;) {							\
		__held = !!(cond);					\
		if (__held || time_after(jiffies, __end))		\
			break;						\
		usleep_range(300, 600);					\
	}								\
	__held;								\
})

#define kt_wait(cond)	kt_wait_for(cond, KT_LIMIT)

/* Wait for what needs no timer of the pool: that would hide that it is late. */
#define kt_wait_prompt(cond)						\
	kt_wait_for(cond, kt_exact ? HZ / 20 : KT_LIMIT)

/* @true_ms under simulated time, where it is free; @short_ms elsewhere. */
static inline unsigned int kt_ms(unsigned int true_ms, unsigned int short_ms)
{
	return kt_exact ? true_ms : short_ms;
}

/* Let time pass, or make an item take time. */
static inline void kt_sleep_ms(unsigned int ms)
{
	if (ms < 20)
		usleep_range(ms * 1000, ms * 1000 + 100);
	else
		msleep(ms);
}

/* A large number, or less of it on a slow kernel. */
static inline int kt_count(int n)
{
	return n / max(kt_slow, 1);
}

/* Pools */

#define kt_stat(pool, field)						\
({									\
	struct kpool_stats __stats;					\
									\
	kpool_get_stats(pool, &__stats);				\
	__stats.field;							\
})

/* A pool, or NULL and a recorded failure. */
static inline struct kpool *kt_pool(const char *name,
				    const struct kpool_attrs *attrs)
{
	struct kpool *pool = kpool_create(attrs, "%s", name);

	if (!KT_EXPECT_EQ(PTR_ERR_OR_ZERO(pool), 0))
		return NULL;
	return pool;
}

static inline bool kt_is_drained(struct kpool *pool)
{
	struct kpool_stats s;

	kpool_get_stats(pool, &s);
	return !s.pending && !s.running && !s.blocked;
}

/* Wait for rest; then every item and every worker must be accounted for. */
static inline void kt_check_identities(struct kpool *pool)
{
	struct kpool_stats s;

	KT_EXPECT(kt_wait(kt_is_drained(pool)));
	kpool_get_stats(pool, &s);
	KT_EXPECT_EQ(s.pending, 0);
	KT_EXPECT_EQ(s.running, 0);
	KT_EXPECT_EQ(s.blocked, 0);
	KT_EXPECT_EQ(s.submitted, s.completed + s.cancelled + s.dropped +
				  s.died);
	KT_EXPECT_EQ(s.spawned, s.purged + s.retired + s.died + s.alive);
	KT_EXPECT_LE(s.failed, s.completed);
	KT_EXPECT_LE(s.idle, s.alive);
}

/* The end of every scenario. */
static inline void kt_pool_end(struct kpool *pool)
{
	if (IS_ERR_OR_NULL(pool))
		return;
	kt_check_identities(pool);
	KT_EXPECT_EQ(kpool_destroy(pool), 0);
}

/* Items that wait at a gate, count, and are notified when dropped */

struct kt_gate {
	struct completion	open;
	atomic_t		started;
	atomic_t		finished;
	atomic_t		dropped;
	atomic_t		dropped_err;	/* the last one's */
};

static inline void kt_gate_init(struct kt_gate *gate)
{
	init_completion(&gate->open);
	atomic_set(&gate->started, 0);
	atomic_set(&gate->finished, 0);
	atomic_set(&gate->dropped, 0);
	atomic_set(&gate->dropped_err, 0);
}

/* All that wait at the gate, or come later, pass. */
static inline void kt_gate_open(struct kt_gate *gate)
{
	complete_all(&gate->open);
}

/* Exactly one of those that wait at the gate, or the next to come, passes. */
static inline void kt_gate_let_one(struct kt_gate *gate)
{
	complete(&gate->open);
}

/* A kpool_fn: its argument is the gate. */
static inline int kt_gate_pass(void *arg)
{
	struct kt_gate *gate = arg;

	atomic_inc(&gate->started);
	wait_for_completion(&gate->open);
	atomic_inc(&gate->finished);
	return 0;
}

struct kt_job {
	struct kpool_item	item;
	struct kt_gate		*gate;
	int			nr;		/* its place among its like */
};

static inline struct kt_job *kt_job_of(struct kpool_item *item)
{
	return container_of(item, struct kt_job, item);
}

/* A kpool_item_fn: waits at the job's gate. */
static inline int kt_job_gated(struct kpool_item *item)
{
	return kt_gate_pass(kt_job_of(item)->gate);
}

/* A kpool_item_fn: counts itself and is done. */
static inline int kt_job_tiny(struct kpool_item *item)
{
	atomic_inc(&kt_job_of(item)->gate->started);
	atomic_inc(&kt_job_of(item)->gate->finished);
	return 0;
}

static inline void kt_job_dropped(struct kpool_item *item, int err)
{
	atomic_inc(&kt_job_of(item)->gate->dropped);
	atomic_set(&kt_job_of(item)->gate->dropped_err, err);
}

static inline void kt_job_init(struct kt_job *job, kpool_item_fn fn,
			       struct kt_gate *gate, int nr)
{
	kpool_init_item(&job->item, fn);
	kpool_set_drop_fn(&job->item, kt_job_dropped);
	job->gate = gate;
	job->nr = nr;
}

/* @n jobs, to be given to kvfree(); or NULL and a recorded failure. */
static inline struct kt_job *kt_jobs(int n, kpool_item_fn fn,
				     struct kt_gate *gate)
{
	struct kt_job *jobs = kvcalloc(n, sizeof(*jobs), GFP_KERNEL);
	int i;

	if (!KT_EXPECT(jobs))
		return NULL;
	for (i = 0; i < n; i++)
		kt_job_init(&jobs[i], fn, gate, i);
	return jobs;
}

/* Submit @n jobs by the pool's policy; all must be accepted. */
static inline bool kt_submit_jobs(struct kpool *pool, struct kt_job *jobs,
				  int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (!KT_EXPECT_EQ(kpool_submit(pool, &jobs[i].item), 0))
			return false;
	return true;
}

/* Threads, for what can sleep while the case goes on */

struct kt_thread {
	struct task_struct	*task;
	int			(*fn)(void *arg);
	void			*arg;
	struct completion	done;
	bool			entered;
	int			ret;
};

static inline int kt_thread_main(void *arg)
{
	struct kt_thread *t = arg;

	WRITE_ONCE(t->entered, true);
	t->ret = t->fn(t->arg);
	complete(&t->done);
	return 0;
}

static inline bool kt_thread_start(struct kt_thread *t, int (*fn)(void *arg),
				   void *arg)
{
	struct task_struct *task;

	t->fn = fn;
	t->arg = arg;
	t->ret = 0;
	t->task = NULL;
	t->entered = false;
	init_completion(&t->done);
	task = kthread_create(kt_thread_main, t, "kt-thread");
	if (!KT_EXPECT_EQ(PTR_ERR_OR_ZERO(task), 0))
		return false;
	get_task_struct(task);
	t->task = task;
	wake_up_process(task);
	return true;
}

/* Has the thread's function returned? */
static inline bool kt_thread_done(struct kt_thread *t)
{
	return completion_done(&t->done);
}

/* Wait until the thread sleeps in its function; false if it does not. */
static inline bool kt_thread_asleep(struct kt_thread *t)
{
	return KT_EXPECT(kt_wait(READ_ONCE(t->entered) &&
				 !task_is_running(t->task))) &&
	       KT_EXPECT(!kt_thread_done(t));
}

/*
 * Threads that repeat an operation a thousand times can take minutes.  The wait
 * is one of many sleeps, so that the kernel takes it for no hung task.
 */
static inline bool kt_thread_ends(struct kt_thread *t)
{
	int i;

	for (i = 0; i < 60; i++)
		if (wait_for_completion_timeout(&t->done, KT_LIMIT / 12))
			return true;
	return false;
}

/*
 * Wait for a thread and return what its function did.  A thread that hangs is
 * recorded, and then waited for all the same: it can use the case's stack.
 */
static inline int kt_thread_join(struct kt_thread *t)
{
	if (!t->task)
		return -ESRCH;
	if (!KT_EXPECT(kt_thread_ends(t)))
		wait_for_completion(&t->done);
	kthread_stop(t->task);
	put_task_struct(t->task);
	t->task = NULL;
	return t->ret;
}

/* A thread that submits one item by the pool's policy */

struct kt_submitter {
	struct kt_thread	thread;
	struct kpool		*pool;
	struct kpool_item	*item;
};

static inline int kt_submitter_main(void *arg)
{
	struct kt_submitter *s = arg;

	return kpool_submit(s->pool, s->item);
}

static inline bool kt_submitter_start(struct kt_submitter *s,
				      struct kpool *pool,
				      struct kpool_item *item)
{
	s->pool = pool;
	s->item = item;
	return kt_thread_start(&s->thread, kt_submitter_main, s);
}

/* As above, and do not return before it sleeps in submit. */
static inline bool kt_submitter_block(struct kt_submitter *s,
				      struct kpool *pool,
				      struct kpool_item *item)
{
	u64 blocked = kt_stat(pool, blocked);

	return kt_submitter_start(s, pool, item) &&
	       KT_EXPECT(kt_wait(kt_stat(pool, blocked) == blocked + 1));
}

/* The table of cases and its three parameters */

/* A case, or one for each of its variants; those are NAME-VARIANT then. */
struct kt_case {
	const char		*name;
	void			(*run)(void);
	void			(*run_variant)(int variant);
	const char *const	*variants;	/* ended by NULL */
};

#define KT_CASE(fn)		{ .name = #fn, .run = fn }
#define KT_EACH(fn, _variants)						\
	{ .name = #fn, .run_variant = fn, .variants = _variants }

static const struct kt_case *const kt_cases;

static inline int kt_case_run(const struct kt_case *c, int variant)
{
	atomic_set(&kt_failures, 0);
	kt_skip_reason = NULL;
	if (c->variants)
		c->run_variant(variant);
	else
		c->run();
	if (atomic_read(&kt_failures))
		return -EPROTO;
	return kt_skip_reason ? -EOPNOTSUPP : 0;
}

/* Which variant does a name ask for: -ENOENT if it is not of this case. */
static inline int kt_case_match(const struct kt_case *c, const char *val)
{
	size_t len = strlen(c->name);
	int i;

	if (!c->variants)
		return sysfs_streq(val, c->name) ? 0 : -ENOENT;
	if (strncmp(val, c->name, len) || val[len] != '-')
		return -ENOENT;
	for (i = 0; c->variants[i]; i++)
		if (sysfs_streq(val + len + 1, c->variants[i]))
			return i;
	return -ENOENT;
}

static int kt_run_set(const char *val, const struct kernel_param *kp)
{
	const struct kt_case *c;
	int variant;

	for (c = kt_cases; c->name; c++) {
		variant = kt_case_match(c, val);
		if (variant < 0)
			continue;
		pr_info("%s: case %.*s\n", KBUILD_MODNAME,
			(int)strcspn(val, "\n"), val);
		return kt_case_run(c, variant);
	}
	return -ENOENT;
}

static int kt_list_get(char *buf, const struct kernel_param *kp)
{
	const char *const *v;
	const struct kt_case *c;
	int len = 0;

	for (c = kt_cases; c->name; c++) {
		if (!c->variants)
			len += scnprintf(buf + len, PAGE_SIZE - len, "%s\n",
					 c->name);
		for (v = c->variants; v && *v; v++)
			len += scnprintf(buf + len, PAGE_SIZE - len, "%s-%s\n",
					 c->name, *v);
	}
	return len;
}

static int kt_result_get(char *buf, const struct kernel_param *kp)
{
	int failures = atomic_read(&kt_failures);

	if (failures)
		return scnprintf(buf, PAGE_SIZE, "failed %d\n", failures);
	if (kt_skip_reason)
		return scnprintf(buf, PAGE_SIZE, "skip %s\n", kt_skip_reason);
	return scnprintf(buf, PAGE_SIZE, "ok\n");
}

static const struct kernel_param_ops kt_run_ops = { .set = kt_run_set };
static const struct kernel_param_ops kt_list_ops = { .get = kt_list_get };
static const struct kernel_param_ops kt_result_ops = { .get = kt_result_get };

module_param_cb(run, &kt_run_ops, NULL, 0200);
MODULE_PARM_DESC(run, "write a case's name to run it");
module_param_cb(list, &kt_list_ops, NULL, 0400);
MODULE_PARM_DESC(list, "the cases, one a line");
module_param_cb(result, &kt_result_ops, NULL, 0400);
MODULE_PARM_DESC(result, "how the last case ended: ok, failed or skip");

/*
 * Once per module, at its end: its cases in order, and what it is about.
 * The table is only declared above because the parameters come first.
 */
#define KT_MODULE(description, ...)					\
static const struct kt_case kt_case_table[] = { __VA_ARGS__, { } };	\
static const struct kt_case *const kt_cases = kt_case_table;		\
									\
MODULE_DESCRIPTION(description);					\
MODULE_LICENSE("GPL");							\
MODULE_INFO(test, "Y")

#endif /* _KPOOL_SELFTEST_H */
