// SPDX-License-Identifier: GPL-2.0-only
/*
 * The examples of Documentation/clients.rst and README.rst, and what other
 * pages show of C, in their words, compiled and run.
 *
 * Each example comes first, then what stands in for the rest of its module,
 * then the case that runs it.
 */
#include <linux/ktime.h>
#include <linux/slab.h>

#include "selftest.h"

static struct kpool *pool;

/* A call with a time limit */

static int link_speed(int port);

struct probe {
	int port;
	int speed;	/* set by probe_run() */
};

static int probe_run(void *arg)
{
	struct probe *p = arg;

	do {
		p->speed = link_speed(p->port);
		if (kpool_call_abandoned())
			return -ECANCELED;
	} while (!p->speed);
	return 0;
}

static void probe_release(void *arg)
{
	kfree(arg);
}

/* The speed of a port, or an error within a second. */
static int probe_port(int port)
{
	struct probe *p = kzalloc(sizeof(*p), GFP_KERNEL);
	int result, err;

	if (!p)
		return -ENOMEM;
	p->port = port;
	err = kpool_call_timeout(pool, probe_run, p, probe_release, HZ, &result);
	if (err == -ETIMEDOUT)
		return err;		/* p belongs to kpool now */
	err = err ?: result ?: p->speed;
	kfree(p);
	return err;
}

#define PORT_DOWN	1
#define PORT_SPEED	1000

static int link_speed(int port)
{
	if (port == PORT_DOWN)
		kt_sleep_ms(10);
	return port == PORT_DOWN ? 0 : PORT_SPEED;
}

/* Fails if a result is lost, or a call that has no end keeps its caller. */
static void call_returns_a_result_or_times_out(void)
{
	int speed, tries = 60;
	u64 before;

	pool = kt_pool("manual", NULL);
	if (!pool)
		return;
	/* on a machine that stands still a second can be too short */
	do
		speed = probe_port(0);
	while (speed == -ETIMEDOUT && tries--);
	KT_EXPECT_EQ(speed, PORT_SPEED);
	if (tries == 60)
		KT_EXPECT_EQ(kt_stat(pool, failed), 0);
	before = kt_stat(pool, abandoned);
	do
		KT_EXPECT_EQ(probe_port(PORT_DOWN), -ETIMEDOUT);
	while (kt_stat(pool, abandoned) == before && tries-- > 0);
	KT_EXPECT_EQ(kt_stat(pool, abandoned), before + 1);
	kt_pool_end(pool);
}

/* A group: its results as they come */

static int part_copy(int nr);

struct part {
	struct kpool_job job;
	int nr;
};

static int part_run(struct kpool_item *item)
{
	struct part *part = container_of(item, struct part, job.item);

	return part_copy(part->nr);
}

/* Copy all parts, and say how many were copied. */
static int copy_what_can_be(struct part *parts, int n)
{
	struct kpool_group group;
	struct kpool_job *job;
	int i, copied = 0;

	kpool_init_group(&group, pool, NULL, KPOOL_GROUP_COLLECT);
	for (i = 0; i < n; i++) {
		kpool_init_job(&parts[i].job, part_run);
		parts[i].nr = i;
		kpool_set_group(&parts[i].job, &group);
		kpool_submit(pool, &parts[i].job.item);
	}
	while (!IS_ERR_OR_NULL(job = kpool_group_next(&group,
						      MAX_SCHEDULE_TIMEOUT)))
		if (!kpool_job_result(job))
			copied++;
	return copied;
}

#define NR_PARTS	20

static int part_bad;
static atomic_t parts_copied;

static int part_copy(int nr)
{
	atomic_inc(&parts_copied);
	return nr == part_bad ? -EIO : 0;
}

/* Fails if a job that has ended does not come, or comes twice. */
static void group_collects_results(void)
{
	static struct part parts[NR_PARTS];

	pool = kt_pool("manual", NULL);
	if (!pool)
		return;
	part_bad = 2;
	atomic_set(&parts_copied, 0);
	KT_EXPECT_EQ(copy_what_can_be(parts, NR_PARTS), NR_PARTS - 1);
	KT_EXPECT_EQ(atomic_read(&parts_copied), NR_PARTS);
	kt_pool_end(pool);
}

/* One after the other: a stream for each connection */

static void packet_handle(int nr);

struct connection {
	struct kpool_stream stream;
};

struct packet {
	struct kpool_job job;
	int nr;
};

static int packet_run(struct kpool_item *item)
{
	struct packet *packet = container_of(item, struct packet, job.item);

	packet_handle(packet->nr);
	kfree(packet);
	return 0;
}

static void connection_init(struct connection *conn)
{
	kpool_init_stream(&conn->stream, pool);
}

/* May be called in softirq. */
static int connection_receive(struct connection *conn, int nr)
{
	struct packet *packet = kzalloc(sizeof(*packet), GFP_ATOMIC);
	int err;

	if (!packet)
		return -ENOMEM;
	packet->nr = nr;
	kpool_init_job(&packet->job, packet_run);
	kpool_set_stream(&packet->job, &conn->stream);
	err = kpool_try_submit(pool, &packet->job.item);
	if (err)
		kfree(packet);
	return err;
}

static int packets_handled;

static void packet_handle(int nr)
{
	KT_EXPECT_EQ(READ_ONCE(packets_handled), nr);
	kt_sleep_ms(1);
	WRITE_ONCE(packets_handled, nr + 1);
}

/* Fails if two of a stream run at once, or in another order. */
static void stream_keeps_its_order(void)
{
	const struct kpool_attrs attrs = {
		.capacity = 4,
		.queue_depth = KPOOL_UNLIMITED,
	};
	struct connection conn;
	int i;

	pool = kt_pool("manual", &attrs);
	if (!pool)
		return;
	packets_handled = 0;
	connection_init(&conn);
	for (i = 0; i < 20; i++)
		KT_EXPECT_EQ(connection_receive(&conn, i), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(packets_handled, 20);
	kt_pool_end(pool);
}

/* Weights: units are megabytes */

static void image_scale(int megabytes);

struct image {
	struct kpool_item item;
	int megabytes;
};

static int image_run(struct kpool_item *item)
{
	struct image *image = container_of(item, struct image, item);

	image_scale(image->megabytes);
	return 0;
}

/* The images that are scaled at a time take 64 MiB at most. */
static struct kpool *image_pool(void)
{
	const struct kpool_attrs attrs = {
		.capacity = 64,
		.queue_depth = 100,
	};

	return kpool_create(&attrs, "images");
}

static int image_submit(struct image *image)
{
	int err;

	kpool_init_item(&image->item, image_run);
	err = kpool_set_weight(&image->item, image->megabytes);
	return err ?: kpool_submit(pool, &image->item);
}

static atomic_t megabytes_in_use;

static void image_scale(int megabytes)
{
	KT_EXPECT_LE(atomic_add_return(megabytes, &megabytes_in_use), 64);
	kt_sleep_ms(1);
	atomic_sub(megabytes, &megabytes_in_use);
}

/* Fails if more units are held than there are, or a bad weight is taken. */
static void weights_bound_what_runs(void)
{
	static struct image images[50];
	int i;

	pool = image_pool();
	if (!KT_EXPECT(!IS_ERR(pool)))
		return;
	for (i = 0; i < ARRAY_SIZE(images); i++) {
		images[i].megabytes = 1 + i * 7 % 64;
		KT_EXPECT_EQ(image_submit(&images[i]), 0);
	}
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	images[0].megabytes = 65;
	KT_EXPECT_EQ(image_submit(&images[0]), -EINVAL);
	images[0].megabytes = 0;
	KT_EXPECT_EQ(image_submit(&images[0]), -EINVAL);
	kt_pool_end(pool);
}

/* Urgent ones first, and none too late */

static void request_answer(int nr, int err);

struct request {
	struct kpool_job job;
	int nr;
};

static int request_run(struct kpool_item *item)
{
	struct request *r = container_of(item, struct request, job.item);

	request_answer(r->nr, 0);
	kfree(r);
	return 0;
}

/* Accepted, but it will not run: -ETIME if its deadline has passed. */
static void request_dropped(struct kpool_item *item, int err)
{
	struct request *r = container_of(item, struct request, job.item);

	request_answer(r->nr, err);
	kfree(r);
}

static int request_submit(int nr, bool urgent, unsigned int ms)
{
	struct request *r = kzalloc(sizeof(*r), GFP_KERNEL);
	int err;

	if (!r)
		return -ENOMEM;
	r->nr = nr;
	kpool_init_job(&r->job, request_run);
	kpool_set_drop_fn(&r->job.item, request_dropped);
	kpool_set_priority(&r->job.item, urgent ? KPOOL_PRIO_HIGH : KPOOL_PRIO_NORMAL);
	kpool_set_deadline(&r->job, ktime_add_ms(ktime_get(), ms));
	err = kpool_submit(pool, &r->job.item);
	if (err)
		kfree(r);
	return err;
}

static int answers[3], errors[3], nr_answers;

static void request_answer(int nr, int err)
{
	if (nr_answers < 3) {
		answers[nr_answers] = nr;
		errors[nr_answers] = err;
	}
	nr_answers++;
}

/* Fails if the urgent one is not first, or the late one runs. */
static void urgent_request_runs_first_and_late_one_is_dropped(void)
{
	const struct kpool_attrs attrs = { .capacity = 1, .queue_depth = 9 };

	pool = kt_pool("manual", &attrs);
	if (!pool)
		return;
	nr_answers = 0;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	KT_EXPECT_EQ(request_submit(0, false, 1), 0);
	KT_EXPECT_EQ(request_submit(1, true, 3600000), 0);
	kt_sleep_ms(5);
	kpool_resume(pool);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(nr_answers, 2);
	KT_EXPECT_EQ(answers[0], 1);
	KT_EXPECT_EQ(errors[0], 0);
	KT_EXPECT_EQ(answers[1], 0);
	KT_EXPECT_EQ(errors[1], -ETIME);
	KT_EXPECT_EQ(kt_stat(pool, expired), 1);
	kt_pool_end(pool);
}

/* Once more, later */

static int upload_try(void);

struct upload {
	struct kpool_job job;
	unsigned int tries;
};

static int upload_run(struct kpool_item *item)
{
	struct upload *u = container_of(item, struct upload, job.item);
	int err = upload_try();

	if (err == -EBUSY && ++u->tries < 5)
		return kpool_submit_delayed(pool, &u->job,
					    msecs_to_jiffies(10 << u->tries));
	return err;
}

static int uploads_to_fail;

static int upload_try(void)
{
	return uploads_to_fail-- > 0 ? -EBUSY : 0;
}

/* Fails if a job cannot submit itself for later, or gives up. */
static void job_tries_again_later(void)
{
	static struct upload u;

	pool = kt_pool("manual", NULL);
	if (!pool)
		return;
	uploads_to_fail = 2;
	kpool_init_job(&u.job, upload_run);
	KT_EXPECT_EQ(kpool_submit(pool, &u.job.item), 0);
	KT_EXPECT(kt_wait(kt_stat(pool, completed) == 3));
	KT_EXPECT_EQ(kt_stat(pool, submitted), 3);
	KT_EXPECT_EQ(kt_stat(pool, failed), 0);
	kt_pool_end(pool);
}

/* A buffer for each worker, and a handler for what fails */

static int block_verify(int nr, void *buffer);

#define BUFFER_SIZE	65536

static void *buffer_make(void *data)
{
	void *buffer = kvmalloc(BUFFER_SIZE, GFP_KERNEL);

	return buffer ?: ERR_PTR(-ENOMEM);
}

static void buffer_free(void *data, void *worker_data)
{
	kvfree(worker_data);
}

static int block_run(void *arg)
{
	return block_verify((long)arg, kpool_worker_data());
}

static void block_bad(void *data, const struct kpool_fault *fault)
{
	atomic_t *bad = data;

	atomic_inc(bad);
	pr_warn("%ps: %d\n", fault->fn, fault->err);
}

static struct kpool *block_pool(atomic_t *bad)
{
	const struct kpool_attrs attrs = {
		.capacity	= 2,
		.fn		= block_run,
		.data		= bad,
		.worker_init	= buffer_make,
		.worker_exit	= buffer_free,
		.fault		= block_bad,
	};

	return kpool_create(&attrs, "blocks");
}

static int block_verify(int nr, void *buffer)
{
	KT_EXPECT(buffer);
	memset(buffer, nr, BUFFER_SIZE);
	return nr % 10 == 9 ? -EILSEQ : 0;
}

/* Fails if a worker has no data, or an error is not reported. */
static void workers_have_buffers_and_faults_are_reported(void)
{
	atomic_t bad = ATOMIC_INIT(0);
	long i;

	pool = block_pool(&bad);
	if (!KT_EXPECT(!IS_ERR(pool)))
		return;
	for (i = 0; i < 20; i++)
		KT_EXPECT_EQ(kpool_submit_arg(pool, (void *)i, GFP_KERNEL), 0);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(atomic_read(&bad), 2);
	KT_EXPECT_EQ(kt_stat(pool, failed), 2);
	kt_pool_end(pool);
}

/* The newest matter most */

static void sample_store(int value);

struct sample {
	struct kpool_item item;
	int value;
};

static int sample_run(struct kpool_item *item)
{
	struct sample *sample = container_of(item, struct sample, item);

	sample_store(sample->value);
	kfree(sample);
	return 0;
}

static void sample_dropped(struct kpool_item *item, int err)
{
	kfree(container_of(item, struct sample, item));
}

static struct kpool *sample_pool(void)
{
	const struct kpool_attrs attrs = {
		.capacity	= 1,
		.queue_depth	= 4,
		.when_full	= KPOOL_FULL_DROP_OLDEST,
	};

	return kpool_create(&attrs, "samples");
}

/* Never sleeps: if four wait already, the oldest of them is dropped. */
static int sample_take(int value)
{
	struct sample *sample = kzalloc(sizeof(*sample), GFP_ATOMIC);
	int err;

	if (!sample)
		return -ENOMEM;
	sample->value = value;
	kpool_init_item(&sample->item, sample_run);
	kpool_set_drop_fn(&sample->item, sample_dropped);
	err = kpool_try_submit(pool, &sample->item);
	if (err)
		kfree(sample);
	return err;
}

static int sample_sum;

static void sample_store(int value)
{
	sample_sum += value;
}

/* Fails if another than the oldest goes; 5 of 10 places, one for the unit. */
static void oldest_makes_room(void)
{
	int i;

	pool = sample_pool();
	if (!KT_EXPECT(!IS_ERR(pool)))
		return;
	sample_sum = 0;
	KT_EXPECT_EQ(kpool_pause(pool), 0);
	for (i = 1; i <= 10; i++)
		KT_EXPECT_EQ(sample_take(i), 0);
	kpool_resume(pool);
	KT_EXPECT_EQ(kpool_flush(pool), 0);
	KT_EXPECT_EQ(sample_sum, 6 + 7 + 8 + 9 + 10);
	KT_EXPECT_EQ(kt_stat(pool, displaced), 5);
	kt_pool_end(pool);
}

/* Several pools as one */

static int frame_run(struct kpool_item *item);

static struct kpool_multi *rx;

static int rx_start(void)
{
	const struct kpool_attrs attrs = { .capacity = 2, .queue_depth = 64 };

	rx = kpool_multi_create(&attrs, num_online_cpus(), KPOOL_PLACE_LEAST_LOADED,
				"rx");
	return PTR_ERR_OR_ZERO(rx);
}

static int rx_frame(struct kpool_item *item)
{
	kpool_init_item(item, frame_run);
	return kpool_multi_submit(rx, item);
}

static atomic_t frames = ATOMIC_INIT(0);

static int frame_run(struct kpool_item *item)
{
	atomic_inc(&frames);
	return 0;
}

/* Fails if an item is lost among the pools. */
static void several_pools_work_as_one(void)
{
	static struct kpool_item items[100];
	struct kpool_stats stats;
	int i;

	if (!KT_EXPECT_EQ(rx_start(), 0))
		return;
	atomic_set(&frames, 0);
	for (i = 0; i < ARRAY_SIZE(items); i++)
		KT_EXPECT_EQ(rx_frame(&items[i]), 0);
	KT_EXPECT_EQ(kpool_multi_shutdown_timeout(rx, KT_LIMIT), 0);
	KT_EXPECT_EQ(atomic_read(&frames), ARRAY_SIZE(items));
	kpool_multi_get_stats(rx, &stats);
	KT_EXPECT_EQ(stats.completed, ARRAY_SIZE(items));
	KT_EXPECT_EQ(kpool_multi_destroy(rx), 0);
}

/* README.rst */

struct rx_req {
	struct kpool_item item;
	int handled;
};

static int rx_handle(struct rx_req *req)
{
	req->handled++;
	return 0;
}

static int rx_fn(struct kpool_item *item)	/* in a kthread; may sleep */
{
	return rx_handle(container_of(item, struct rx_req, item));
}

static int rx_example(struct rx_req *req)
{
	const struct kpool_attrs attrs = { .capacity = 4, .queue_depth = 64 };
	int err;

	pool = kpool_create(&attrs, "rx");
	if (IS_ERR(pool))
		return PTR_ERR(pool);
	kpool_init_item(&req->item, rx_fn);		/* embedded, no allocation */
	err = kpool_submit(pool, &req->item);	/* sleeps while the pool is full */
	kpool_destroy(pool);			/* after all items have run */
	return err;
}

/* Fails if the item does not run, or its pool does not wait for it. */
static void first_example_runs(void)
{
	static struct rx_req req;

	req.handled = 0;
	KT_EXPECT_EQ(rx_example(&req), 0);
	KT_EXPECT_EQ(req.handled, 1);
}

/* attributes.rst, coming-from/kthread-worker.rst */

static int serve(void *arg)
{
	return 0;
}

/* Fails if an attribute or a name is refused. */
static void pools_have_names_and_defaults(void)
{
	struct { int id; } device = { .id = 3 }, *dev = &device;

	pool = kpool_create(&(struct kpool_attrs){ .capacity = 4, .fn = serve },
			    "mydev%d-rx", dev->id);
	if (!KT_EXPECT_EQ(PTR_ERR_OR_ZERO(pool), 0))
		return;
	KT_EXPECT_EQ(kpool_submit_arg(pool, dev, GFP_KERNEL), 0);
	kt_pool_end(pool);
	pool = kpool_create(NULL, "plain");
	if (KT_EXPECT_EQ(PTR_ERR_OR_ZERO(pool), 0))
		kt_pool_end(pool);
}

/* Fails if the attributes exclude each other, or the worker is not there. */
static void pool_is_like_a_kthread_worker(void)
{
	const struct kpool_attrs attrs = {
		.capacity = 1, .min_workers = 1, .flags = KPOOL_PREALLOC,
		.queue_depth = KPOOL_UNLIMITED,
	};

	pool = kt_pool("worker", &attrs);
	if (!pool)
		return;
	KT_EXPECT_EQ(kt_stat(pool, alive), 1);
	kt_pool_end(pool);
}

/* testing.rst */

/* Fails if a flush returns before the item's function has. */
static void flush_waits_for_the_run(void)
{
	const struct kpool_attrs attrs = { .capacity = 1 };
	struct kpool *pool = kt_pool("flush", &attrs);
	struct kt_gate gate;
	struct kt_job job;

	if (!pool)
		return;
	kt_gate_init(&gate);
	kt_job_init(&job, kt_job_tiny, &gate, 0);
	KT_EXPECT_EQ(kpool_submit(pool, &job.item), 0);
	KT_EXPECT_EQ(kpool_flush_item(&job.item), 0);
	KT_EXPECT_EQ(atomic_read(&gate.finished), 1);
	kt_pool_end(pool);
}

KT_MODULE("kpool selftest: the examples of the manual",
	  KT_CASE(call_returns_a_result_or_times_out),
	  KT_CASE(group_collects_results),
	  KT_CASE(stream_keeps_its_order),
	  KT_CASE(weights_bound_what_runs),
	  KT_CASE(urgent_request_runs_first_and_late_one_is_dropped),
	  KT_CASE(job_tries_again_later),
	  KT_CASE(workers_have_buffers_and_faults_are_reported),
	  KT_CASE(oldest_makes_room),
	  KT_CASE(several_pools_work_as_one),
	  KT_CASE(first_example_runs),
	  KT_CASE(pools_have_names_and_defaults),
	  KT_CASE(pool_is_like_a_kthread_worker),
	  KT_CASE(flush_waits_for_the_run));
