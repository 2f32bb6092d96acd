// SPDX-License-Identifier: GPL-2.0-only
/*
 * Delayed jobs: accepted, and waiting for their time.
 *
 * They stand in pool->delayed by the time at which they are due, and one timer
 * for each pool fires for the first of them: a job has no timer of its own that
 * could outlive it.  A job that is due waits in line like a submitter that came
 * then, but is accepted already.  In a closed pool none becomes due any more;
 * the dropper takes them.
 */
#include <linux/module.h>
#include <linux/rbtree.h>

#include "internal.h"
#include "pending.h"

/* So many jobs become due under one hold of the lock. */
#define KPOOL_DUE_BATCH	8

static struct kpool_job *kpool_job_by_node(struct rb_node *node)
{
	return rb_entry(node, struct kpool_job, delay_node);
}

static bool kpool_due_before(struct rb_node *a, const struct rb_node *b)
{
	const struct kpool_job *other =
		rb_entry(b, struct kpool_job, delay_node);

	return time_before(kpool_job_by_node(a)->due, other->due);
}

/*
 * When to set a timer of the wheel that must not fire later than a time that
 * lies @when - now ahead, plus 1/8 of that.  The wheel's grain is 8/63 at the
 * start of a level, more than 1/8: to aim a little low costs one more look.
 */
unsigned long kpool_aim(unsigned long when)
{
	long left = when - jiffies;

	return max(left - left / 256, 1L);
}

static void kpool_delay_arm(struct kpool *pool)
{
	struct rb_node *first = rb_first_cached(&pool->delayed);

	lockdep_assert_held(&pool->lock);
	if (first)
		mod_timer(&pool->delay_timer, jiffies +
			  kpool_aim(kpool_job_by_node(first)->due));
}

/* Due are @delay whole ticks: the one that has begun does not count. */
static void kpool_delay(struct kpool *pool, struct kpool_job *job,
			unsigned long delay)
{
	job->due = jiffies + min(delay, MAX_JIFFY_OFFSET - 1) + 1;
	job->item.place = KPOOL_DELAYED;
	pool->nr_delayed++;
	if (rb_add_cached(&job->delay_node, &pool->delayed, kpool_due_before))
		kpool_delay_arm(pool);
}

/* Take a delayed job out; the timer may fire in vain. */
void kpool_undelay(struct kpool *pool, struct kpool_job *job)
{
	lockdep_assert_held(&pool->lock);
	kpool_scan_skip(pool, &job->item);
	rb_erase_cached(&job->delay_node, &pool->delayed);
	pool->nr_delayed--;
}

struct kpool_item *kpool_first_delayed(struct kpool *pool)
{
	struct rb_node *first = rb_first_cached(&pool->delayed);

	return first ? &kpool_job_by_node(first)->item : NULL;
}

/* A job comes to the line now. */
static void kpool_becomes_due(struct kpool *pool, struct kpool_job *job)
{
	struct kpool_item *item = &job->item;

	item->place = KPOOL_NOWHERE;
	item->since = jiffies;
	item->arrival = pool->arrivals++;
	kpool_accept_due(pool, item);
}

/* Let in what is due, a batch at most: is there more? */
static bool kpool_delay_batch(struct kpool *pool)
{
	struct kpool_item *item;
	int i;

	for (i = 0; i < KPOOL_DUE_BATCH; i++) {
		item = kpool_first_delayed(pool);
		if (!item || pool->closed)
			return false;
		if (time_before(jiffies, kpool_job_of(item)->due)) {
			kpool_delay_arm(pool);
			return false;
		}
		kpool_undelay(pool, kpool_job_of(item));
		kpool_becomes_due(pool, kpool_job_of(item));
	}
	return true;
}

static void kpool_delay_fires(struct timer_list *timer)
{
	struct kpool *pool = timer_container_of(pool, timer, delay_timer);
	unsigned long flags;
	bool more;

	do {
		raw_spin_lock_irqsave(&pool->lock, flags);
		more = kpool_delay_batch(pool);
		kpool_unlock(pool, flags);
	} while (more);
}

void kpool_delay_init(struct kpool *pool)
{
	pool->delayed = RB_ROOT_CACHED;
	timer_setup(&pool->delay_timer, kpool_delay_fires, 0);
}

void kpool_delay_stop(struct kpool *pool)
{
	timer_delete_sync(&pool->delay_timer);
}

int kpool_submit_delayed(struct kpool *pool, struct kpool_job *job,
			 unsigned long delay)
{
	struct kpool_item *item = &job->item;
	unsigned long flags;
	int err;

	err = kpool_come_home(pool, item, &flags);
	if (err)
		return err;
	err = kpool_may_accept(pool, item);
	if (!err) {
		if (delay)
			kpool_delay(pool, job, delay);
		kpool_accept(pool, item);
		if (!delay)
			kpool_accept_due(pool, item);
	}
	kpool_unlock(pool, flags);
	return err;
}
EXPORT_SYMBOL_GPL(kpool_submit_delayed);

bool kpool_modify_delay(struct kpool_job *job, unsigned long delay)
{
	unsigned long flags;
	struct kpool *pool = kpool_item_lock(&job->item, &flags);

	if (job->item.place != KPOOL_DELAYED || pool->closed ||
	    kpool_is_of_going(pool, &job->item)) {
		raw_spin_unlock_irqrestore(&pool->lock, flags);
		return false;
	}
	kpool_undelay(pool, job);
	if (delay)
		kpool_delay(pool, job, delay);
	else
		kpool_becomes_due(pool, job);
	kpool_unlock(pool, flags);
	return true;
}
EXPORT_SYMBOL_GPL(kpool_modify_delay);
