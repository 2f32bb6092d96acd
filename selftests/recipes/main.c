// SPDX-License-Identifier: GPL-2.0-only
/*
 * The recipes of the manual, compiled and run.
 *
 * Each file of samples/recipes/ is included after declarations of the functions
 * that it expects of its driver; these and the cases that run it follow.  A
 * migration is a pair of files that define the same names: each is compiled
 * on its own, see migration.h.
 */
#include <linux/timer.h>

#include "hardirq.h"
#include "selftest.h"

#include "migration.h"

/* A counter for each number that a recipe is given. */
#define NR_TALLIES	40

static atomic_t tallies[NR_TALLIES];

static void tallies_clear(void)
{
	int i;

	for (i = 0; i < NR_TALLIES; i++)
		atomic_set(&tallies[i], 0);
}

/* The first @n numbers have been counted once, the rest not. */
static void expect_each_once(int n)
{
	int i;

	for (i = 0; i < NR_TALLIES; i++)
		KT_EXPECT_EQ(atomic_read(&tallies[i]), i < n);
}

static struct kt_gate gate;

/* Bounded producer and consumer */

static int report_send(int nr);

#include "../../samples/recipes/bounded_queue.c"

static int report_send(int nr)
{
	kt_gate_pass(&gate);
	atomic_inc(&tallies[nr]);
	return nr == 3 ? -EIO : 0;
}

static int produces_one_more(void *unused)
{
	return report_produce(10);
}

/*
 * Fails if the producer does not sleep with 2 running and 8 queued, sleeps
 * before, or is not woken.  Also fails if a report or an error is lost.
 */
static void producer_sleeps_while_the_queue_is_full(void)
{
	struct kt_thread producer = { };
	int i;

	tallies_clear();
	kt_gate_init(&gate);
	if (!KT_EXPECT_EQ(reports_start(), 0))
		return;
	for (i = 0; i < 10; i++)
		KT_EXPECT_EQ(report_produce(i), 0);
	if (kt_thread_start(&producer, produces_one_more, NULL)) {
		KT_EXPECT(kt_wait(kt_stat(reports, blocked) == 1));
		KT_EXPECT(kt_wait(kt_stat(reports, running) == 2));
		KT_EXPECT_EQ(kt_stat(reports, pending), 8);
		KT_EXPECT(!kt_thread_done(&producer));
	}
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kt_thread_join(&producer), 0);
	KT_EXPECT_EQ(kpool_flush(reports), 0);
	expect_each_once(11);
	KT_EXPECT_EQ(kt_stat(reports, failed), 1);
	kt_pool_end(reports);
}

/* Parallel, with completion in order */

static int block_cipher(int nr);
static int block_write(int nr);

#include "../../samples/recipes/ordered_completion.c"

static int blocks_written;
static atomic_t blocks_ciphered;

static int block_cipher(int nr)
{
	if (!nr)
		wait_for_completion(&gate.open);
	atomic_inc(&blocks_ciphered);
	return nr == 5 ? -EINVAL : 0;
}

/* Block 5 is left out. */
static int block_write(int nr)
{
	KT_EXPECT_EQ(nr, blocks_written < 5 ? blocks_written : blocks_written + 1);
	blocks_written++;
	return 0;
}

/*
 * Block 0 is the last to be encrypted and the first to be written.
 * Fails if the others wait for it, are written before it or out of order, or if
 * one whose encryption failed is written.
 */
static void blocks_are_encrypted_in_parallel_and_written_in_order(void)
{
	static struct block list[20];
	int i;

	blocks_written = 0;
	atomic_set(&blocks_ciphered, 0);
	kt_gate_init(&gate);
	if (!KT_EXPECT_EQ(blocks_start(), 0))
		return;
	for (i = 0; i < ARRAY_SIZE(list); i++) {
		list[i].nr = i;
		KT_EXPECT_EQ(block_submit(&list[i]), 0);
	}
	KT_EXPECT(kt_wait(atomic_read(&blocks_ciphered) == ARRAY_SIZE(list) - 1));
	KT_EXPECT_EQ(READ_ONCE(blocks_written), 0);
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kpool_flush(blocks), 0);
	KT_EXPECT_EQ(blocks_written, ARRAY_SIZE(list) - 1);
	KT_EXPECT_EQ(kt_stat(blocks, failed), 1);
	kt_pool_end(blocks);
}

/* A pipeline over two pools */

struct picture;

static int picture_decode(struct picture *picture);
static int picture_store(struct picture *picture);
static void picture_end(struct picture *picture, int err);

#include "../../samples/recipes/pipeline.c"

#define NR_PICTURES	12
#define BAD_PICTURE	7

static struct picture *pictures;
static atomic_t pictures_decoded, pictures_failed;

static int picture_nr(struct picture *picture)
{
	return picture - pictures;
}

static int picture_decode(struct picture *picture)
{
	KT_EXPECT(kpool_current() == stages[0].pool);
	atomic_inc(&pictures_decoded);
	return picture_nr(picture) == BAD_PICTURE ? -EINVAL : 0;
}

static int picture_store(struct picture *picture)
{
	KT_EXPECT(kpool_current() == stages[1].pool);
	return kt_gate_pass(&gate);
}

/* No function uses the picture after this: spoil it. */
static void picture_end(struct picture *picture, int err)
{
	int nr = picture_nr(picture);

	KT_EXPECT_EQ(err, nr == BAD_PICTURE ? -EINVAL : 0);
	if (err)
		atomic_inc(&pictures_failed);
	memset(picture, 0x5a, sizeof(*picture));
	atomic_inc(&tallies[nr]);
}

/* A picture is stored, four have been decoded and sleep in submit. */
static bool pictures_make(void)
{
	int i;

	tallies_clear();
	atomic_set(&pictures_decoded, 0);
	atomic_set(&pictures_failed, 0);
	kt_gate_init(&gate);
	pictures = kcalloc(NR_PICTURES, sizeof(*pictures), GFP_KERNEL);
	if (!KT_EXPECT(pictures))
		return false;
	if (!KT_EXPECT_EQ(pictures_start(), 0)) {
		kfree(pictures);
		return false;
	}
	for (i = 0; i < 5; i++)
		KT_EXPECT_EQ(picture_submit(&pictures[i]), 0);
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 1));
	KT_EXPECT(kt_wait(kt_stat(stages[1].pool, blocked) == 4));
	KT_EXPECT_EQ(atomic_read(&pictures_decoded), 5);
	return true;
}

/*
 * Fails if a stage runs in the wrong pool, is skipped or repeated, or if the
 * bad picture is stored.  Also fails if a full stage does not hold back the one
 * before it.
 */
static void pictures_pass_both_stages(void)
{
	int i = 5;

	if (!pictures_make())
		return;
	kpool_init_item(&pictures[i].item, picture_run);
	if (!KT_EXPECT_EQ(kpool_try_submit(stages[0].pool, &pictures[i].item),
			  -EAGAIN))
		i++;
	kt_gate_open(&gate);
	for (; i < NR_PICTURES; i++)
		KT_EXPECT_EQ(picture_submit(&pictures[i]), 0);
	KT_EXPECT_EQ(kpool_flush(stages[0].pool), 0);
	KT_EXPECT_EQ(kpool_flush(stages[1].pool), 0);
	expect_each_once(NR_PICTURES);
	KT_EXPECT_EQ(atomic_read(&gate.finished), NR_PICTURES - 1);
	KT_EXPECT_EQ(atomic_read(&pictures_failed), 1);
	pictures_stop();
	kfree(pictures);
}

static int stops_pictures(void *unused)
{
	pictures_stop();
	return 0;
}

/* Fails if the last stage stops before the first: it refuses pictures then. */
static void pictures_are_stored_when_the_pipeline_stops(void)
{
	struct kt_thread stopper = { };

	if (!pictures_make())
		return;
	if (kt_thread_start(&stopper, stops_pictures, NULL))
		KT_EXPECT(kt_wait(kt_stat(stages[0].pool, closed)));
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kt_thread_join(&stopper), 0);
	expect_each_once(5);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 5);
	kfree(pictures);
}

/* Fan-out with the first error */

static int part_copy(int nr);

#include "../../samples/recipes/fan_out.c"

static int part_bad;

static int part_copy(int nr)
{
	atomic_inc(&tallies[nr]);
	return nr >= part_bad ? -EIO - nr : 0;
}

/* Fails if an error is lost or not the first, or if parts start after it. */
static void fan_out_ends_with_the_first_error(void)
{
	static struct part parts[20];
	const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 20 };
	struct kpool *pool = kt_pool("parts", &attrs);

	if (!pool)
		return;
	part_bad = ARRAY_SIZE(parts);
	tallies_clear();
	KT_EXPECT_EQ(copy_parts(pool, parts, ARRAY_SIZE(parts)), 0);
	expect_each_once(ARRAY_SIZE(parts));
	part_bad = 2;
	tallies_clear();
	KT_EXPECT_EQ(copy_parts(pool, parts, ARRAY_SIZE(parts)), -EIO - 2);
	expect_each_once(3);
	kt_pool_end(pool);
}

/* Drain at remove() */

struct command;
struct mydev;

static int command_execute(int nr);
static void command_answer(struct command *cmd, int err);
static void mydev_stop_producers(struct mydev *dev);

#include "../../samples/recipes/drain_at_remove.c"

#define NR_COMMANDS	10

static struct command commands[NR_COMMANDS];
static atomic_t commands_cancelled;

static int command_execute(int nr)
{
	return kt_gate_pass(&gate);
}

static void command_answer(struct command *cmd, int err)
{
	if (err == -ECANCELED)
		atomic_inc(&commands_cancelled);
	else
		KT_EXPECT_EQ(err, 0);
	atomic_inc(&tallies[cmd->nr]);
}

static atomic_t producers_stopped;

static void mydev_stop_producers(struct mydev *dev)
{
	KT_EXPECT_EQ(kt_stat(dev->pool, submitted), NR_COMMANDS);
	atomic_inc(&producers_stopped);
}

static bool mydev_make(struct mydev *dev, unsigned long drain_limit)
{
	const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = NR_COMMANDS };
	int i;

	tallies_clear();
	atomic_set(&commands_cancelled, 0);
	atomic_set(&producers_stopped, 0);
	kt_gate_init(&gate);
	dev->drain_limit = drain_limit;
	dev->pool = kt_pool("mydev", &attrs);
	for (i = 0; dev->pool && i < NR_COMMANDS; i++) {
		commands[i].nr = i;
		KT_EXPECT_EQ(command_submit(dev, &commands[i]), 0);
	}
	return dev->pool;
}

/* Fails if remove() returns before each command has been answered. */
static void remove_runs_what_was_accepted(void)
{
	struct mydev dev;

	if (!mydev_make(&dev, MAX_SCHEDULE_TIMEOUT))
		return;
	kt_gate_open(&gate);
	mydev_remove(&dev);
	KT_EXPECT_EQ(atomic_read(&producers_stopped), 1);
	expect_each_once(NR_COMMANDS);
	KT_EXPECT_EQ(atomic_read(&commands_cancelled), 0);
}

static int removes(void *dev)
{
	mydev_remove(dev);
	return 0;
}

/*
 * The first command hangs.
 * Fails if the others are not answered after the limit, or if remove() returns
 * while the first runs.
 */
static void remove_drops_what_has_not_started_in_time(void)
{
	struct kt_thread remover = { };
	struct mydev dev;

	if (!mydev_make(&dev, HZ / 10))
		return;
	KT_EXPECT(kt_wait(atomic_read(&gate.started) == 1));
	if (kt_thread_start(&remover, removes, &dev)) {
		KT_EXPECT(kt_wait(atomic_read(&commands_cancelled) ==
				  NR_COMMANDS - 1));
		KT_EXPECT(!kt_thread_done(&remover));
		KT_EXPECT_EQ(atomic_read(&tallies[0]), 0);
	}
	kt_gate_open(&gate);
	KT_EXPECT_EQ(kt_thread_join(&remover), 0);
	expect_each_once(NR_COMMANDS);
	KT_EXPECT_EQ(atomic_read(&commands_cancelled), NR_COMMANDS - 1);
}

/* Submit from an interrupt */

struct packet;

static int packet_run(struct kpool_item *item);
static void packet_drop(struct packet *packet);

#include "../../samples/recipes/interrupt.c"

#define NR_PACKETS	30

static struct packet received[NR_PACKETS];
static int nr_received, nr_dropped;

static int packet_run(struct kpool_item *item)
{
	int nr = container_of(item, struct packet, item) - received;

	kt_gate_pass(&gate);
	atomic_inc(&tallies[nr]);
	return 0;
}

static void packet_drop(struct packet *packet)
{
	nr_dropped++;
}

static void receives_all(void)
{
	int i;

	for (i = 0; i < NR_PACKETS; i++) {
		packet_received(&received[i]);
		nr_received++;
	}
}

static int nr_kept(void)
{
	struct list_head *node;
	int nr = 0;

	list_for_each(node, &packets_kept)
		nr++;
	return nr;
}

/* 2 run, 16 are queued, 12 have been refused and are kept. */
static bool packets_make(void)
{
	nr_received = 0;
	nr_dropped = 0;
	tallies_clear();
	kt_gate_init(&gate);
	if (!KT_EXPECT_EQ(packets_start(), 0))
		return false;
	hardirq_do(receives_all);
	KT_EXPECT_EQ(nr_received, NR_PACKETS);
	KT_EXPECT_EQ(kt_stat(packets, submitted), 18);
	KT_EXPECT_EQ(nr_kept(), 12);
	return true;
}

/* Fails if a packet is lost or run twice, or is never submitted again. */
static void packets_of_an_interrupt_all_run(void)
{
	if (!packets_make())
		return;
	kt_gate_open(&gate);
	KT_EXPECT(kt_wait(kt_stat(packets, completed) == NR_PACKETS));
	expect_each_once(NR_PACKETS);
	packets_stop();
	KT_EXPECT_EQ(nr_dropped, 0);
}

static int stops_packets(void *unused)
{
	packets_stop();
	return 0;
}

/* Fails if stopping leaks a packet, or runs one that the pool never had. */
static void packets_kept_are_dropped_at_the_end(void)
{
	struct kt_thread stopper = { };

	if (!packets_make())
		return;
	if (kt_thread_start(&stopper, stops_packets, NULL))
		KT_EXPECT(kt_wait(kt_stat(packets, closed)));
	kt_gate_open(&gate);
	kt_thread_join(&stopper);
	expect_each_once(18);
	KT_EXPECT_EQ(nr_dropped, 12);
}

/* A rate limit */

struct probe;

static int probe_send(struct probe *probe);

#include "../../samples/recipes/rate_limit.c"

#define NR_PROBES	6

static unsigned long probes_at[2 * NR_PROBES];
static atomic_t probes_sent;

static int probe_send(struct probe *probe)
{
	int place = atomic_fetch_inc(&probes_sent);

	KT_EXPECT_EQ(probe->nr, place);
	probes_at[place] = jiffies;
	atomic_inc(&tallies[probe->nr]);
	return 0;
}

static void probes_send(struct probe *list, int from, int to)
{
	int i;

	for (i = from; i < to; i++) {
		list[i].nr = i;
		KT_EXPECT_EQ(probe_submit(&list[i]), 0);
	}
	KT_EXPECT(kt_wait(atomic_read(&probes_sent) == to));
}

/*
 * Two bursts; in between the pacer finds nothing to send and is idle.
 * Fails if a probe is lost, or is overtaken, or, by the clock of simulated
 * time, follows another too soon.
 */
static void probes_are_sent_at_intervals(void)
{
	static struct probe list[2 * NR_PROBES];
	int i;

	tallies_clear();
	atomic_set(&probes_sent, 0);
	probe_pool = kt_pool("probes", NULL);
	if (!probe_pool)
		return;
	probes_send(list, 0, NR_PROBES);
	KT_EXPECT(kt_wait(!READ_ONCE(probes_paced)));
	probes_send(list, NR_PROBES, 2 * NR_PROBES);
	KT_EXPECT(kt_wait(!READ_ONCE(probes_paced)));
	expect_each_once(2 * NR_PROBES);
	for (i = 1; kt_exact && i < 2 * NR_PROBES; i++) {
		unsigned long gap = probes_at[i] - probes_at[i - 1];

		KT_EXPECT_GE(gap, PROBE_INTERVAL);
		if (i != NR_PROBES)
			KT_EXPECT_LE(gap, PROBE_INTERVAL * 9 / 8 + 2);
	}
	kt_pool_end(probe_pool);
}

/* Migrations: what holds before holds after */

static const char *const halves[] = { "before", "after", NULL };

static atomic_t frames_decoded;

void frame_decode(size_t len)
{
	wait_for_completion(&gate.open);
	atomic_inc(&tallies[len]);
	atomic_inc(&frames_decoded);
}

static const struct frame_driver *frame_driver;

static DECLARE_COMPLETION(frames_have_arrived);

/* Handlers that allocate are threads on PREEMPT_RT: a timer stands for both. */
static void frames_arrive(struct timer_list *timer)
{
	int i;

	for (i = 0; i < NR_TALLIES; i++)
		KT_EXPECT_EQ(frame_driver->arrived(i), 0);
	complete(&frames_have_arrived);
}

static DEFINE_TIMER(frames_timer, frames_arrive);

/* Fails if a frame is lost, or if stopping does not wait for all of them. */
static void frames_of_a_timer_are_decoded(int half)
{
	frame_driver = half ? &frames_after : &frames_before;
	tallies_clear();
	atomic_set(&frames_decoded, 0);
	kt_gate_init(&gate);
	if (!KT_EXPECT_EQ(frame_driver->start(), 0))
		return;
	mod_timer(&frames_timer, jiffies);
	wait_for_completion(&frames_have_arrived);
	KT_EXPECT_EQ(atomic_read(&frames_decoded), 0);
	kt_gate_open(&gate);
	frame_driver->stop();
	expect_each_once(NR_TALLIES);
}

/* Fails if more are accepted than the pool has places for, or fewer. */
static void frames_are_refused_beyond_the_bound(void)
{
	int i, accepted = 0;

	kt_gate_init(&gate);
	if (!KT_EXPECT_EQ(frames_after.start(), 0))
		return;
	for (i = 0; i < 300; i++)
		accepted += !frames_after.arrived(0);
	KT_EXPECT_EQ(accepted, 4 + 256);
	KT_EXPECT_EQ(frames_after.arrived(0), -EAGAIN);
	kt_gate_open(&gate);
	frames_after.stop();
}

static atomic_t polls, polls_not_fifo;

void poll_sensor(void)
{
	atomic_inc(&polls);
	if (current->policy != SCHED_FIFO)
		atomic_inc(&polls_not_fifo);
}

/* Fails if polling stops, is not real-time, or goes on after the driver. */
static void sensor_is_polled_until_the_driver_stops(int half)
{
	const struct poll_driver *driver = half ? &poller_after : &poller_before;
	int last;

	atomic_set(&polls, 0);
	atomic_set(&polls_not_fifo, 0);
	if (!KT_EXPECT_EQ(driver->start(), 0))
		return;
	KT_EXPECT(kt_wait(atomic_read(&polls) >= 3));
	driver->stop();
	last = atomic_read(&polls);
	kt_sleep_ms(100);
	KT_EXPECT_EQ(atomic_read(&polls), last);
	KT_EXPECT_EQ(atomic_read(&polls_not_fifo), 0);
}

KT_MODULE("kpool selftest: the recipes of the manual",
	  KT_CASE(producer_sleeps_while_the_queue_is_full),
	  KT_CASE(blocks_are_encrypted_in_parallel_and_written_in_order),
	  KT_CASE(pictures_pass_both_stages),
	  KT_CASE(pictures_are_stored_when_the_pipeline_stops),
	  KT_CASE(fan_out_ends_with_the_first_error),
	  KT_CASE(remove_runs_what_was_accepted),
	  KT_CASE(remove_drops_what_has_not_started_in_time),
	  KT_CASE(packets_of_an_interrupt_all_run),
	  KT_CASE(packets_kept_are_dropped_at_the_end),
	  KT_CASE(probes_are_sent_at_intervals),
	  KT_EACH(frames_of_a_timer_are_decoded, halves),
	  KT_CASE(frames_are_refused_beyond_the_bound),
	  KT_EACH(sensor_is_polled_until_the_driver_stops, halves));
