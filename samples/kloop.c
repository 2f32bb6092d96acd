// SPDX-License-Identifier: GPL-2.0-only
/*
 * kpool_kloop: a block device whose requests run in a pool.
 *
 *	truncate -s 64M /tmp/image
 *	insmod kpool_kloop.ko file=/tmp/image capacity=4 queue_depth=16
 *	mkfs.ext4 /dev/kloop0 && mount /dev/kloop0 /mnt
 *	echo 8 >/sys/kernel/debug/kpool/kloop/capacity
 *	echo 1 >/sys/module/kpool_kloop/parameters/unplug
 *
 * The device is backed by a file, not by memory: reading and writing a file
 * sleeps.  A driver has worker threads because its requests sleep.  Each
 * request embeds an item, which ->queue_rq() submits without sleeping.
 *
 * Back-pressure.  blk-mq has more tags than the pool has places, so the pool
 * refuses requests.  A refused request stays in blk-mq, where the I/O scheduler
 * can still merge and reorder it, until the hardware queue is run again:
 *
 * - The end of another request runs the queue, but its worker still holds its
 *   unit then, and the pool can refuse again.
 * - The room callback runs the queue when a unit or a place in the pool is
 *   free, also if capacity or queue_depth has grown.  If the callback comes
 *   before blk-mq has put the refused request back on its list, the queue looks
 *   empty.
 * - For that case, if no other request is left to end, kloop_queue_rq() returns
 *   BLK_STS_RESOURCE, and blk-mq runs the queue after a delay.
 *
 * engine=workqueue runs the same requests on a workqueue, for comparison.  A
 * workqueue refuses nothing, so its bound is the number of tags.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/bvec.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/uio.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "kpool.h"

#define KLOOP_TAGS	128

static char *file = "";
module_param(file, charp, 0444);
MODULE_PARM_DESC(file, "regular file that holds the data");

static char *engine_name = "kpool";
module_param_named(engine, engine_name, charp, 0444);
MODULE_PARM_DESC(engine, "kpool or workqueue (default kpool)");

static int capacity = 4;
module_param(capacity, int, 0444);
MODULE_PARM_DESC(capacity, "requests that run at once (default 4)");

static int queue_depth = 16;
module_param(queue_depth, int, 0444);
MODULE_PARM_DESC(queue_depth, "requests queued in the pool (default 16)");

static int kill_next;
module_param(kill_next, int, 0644);
MODULE_PARM_DESC(kill_next, "1: the next request kills its worker (kpool only)");

/* Data of each request: a work item for either engine. */
struct kloop_request {
	struct kpool_item item;
	struct work_struct work;
};

struct kloop_engine {
	const char *name;
	int (*create)(void);
	int (*submit)(struct kloop_request *req);
	void (*destroy)(void);
};

static DEFINE_MUTEX(disk_lock);		/* protects disk, but for requests */
static struct gendisk *disk;		/* NULL if unplugged */
static struct blk_mq_tag_set tag_set;
static struct file *backing;
static const struct kloop_engine *engine;

/* Requests accepted and not ended; briefly too low at times, never too high. */
static atomic_t busy = ATOMIC_INIT(0);

static bool hold;
static DECLARE_WAIT_QUEUE_HEAD(hold_wait);

/* A request, in a thread of the engine. */

static int kloop_transfer(struct request *rq)
{
	bool is_write = rq_data_dir(rq) == WRITE;
	loff_t pos = (loff_t)blk_rq_pos(rq) << SECTOR_SHIFT;
	struct req_iterator iter;
	struct iov_iter to_from;
	struct bio_vec bvec;
	ssize_t n;

	rq_for_each_bvec(bvec, rq, iter) {
		iov_iter_bvec(&to_from, is_write ? ITER_SOURCE : ITER_DEST,
			      &bvec, 1, bvec.bv_len);
		n = is_write ? vfs_iter_write(backing, &to_from, &pos, 0) :
			       vfs_iter_read(backing, &to_from, &pos, 0);
		if (n < 0)
			return n;
		if (n != bvec.bv_len)
			return -EIO;	/* the file was truncated, or is full */
	}
	return 0;
}

static int kloop_do_request(struct request *rq)
{
	wait_event_idle(hold_wait, !READ_ONCE(hold));
	switch (req_op(rq)) {
	case REQ_OP_READ:
	case REQ_OP_WRITE:
		return kloop_transfer(rq);
	case REQ_OP_FLUSH:
		return vfs_fsync(backing, 0);
	default:
		return -EOPNOTSUPP;
	}
}

/*
 * End a request.  Its tag can be reused at once, and its item submitted again
 * while this run has not returned: the item then starts after it.
 */
static void kloop_end_request(struct request *rq, int err)
{
	/* a full barrier, which pairs with the one in kloop_queue_rq() */
	atomic_dec_return(&busy);
	blk_mq_end_request(rq, errno_to_blk_status(err));
}

static int kloop_run_request(struct kloop_request *req)
{
	struct request *rq = blk_mq_rq_from_pdu(req);
	int err = kloop_do_request(rq);

	kloop_end_request(rq, err);
	return err;
}

/*
 * Engine kpool.  If a file system is mounted, the pool is the path by which
 * memory is freed.  So it has a worker in reserve, and its workers allocate
 * without I/O.
 */

static struct kpool *pool;

static noinline void kloop_die(void)
{
	int *nowhere = NULL;

	OPTIMIZER_HIDE_VAR(nowhere);
	WRITE_ONCE(*nowhere, 0);
}

static int pool_item_fn(struct kpool_item *item)
{
	if (READ_ONCE(kill_next) && xchg(&kill_next, 0))
		kloop_die();
	return kloop_run_request(container_of(item, struct kloop_request, item));
}

/* End the request of a dead worker, which cannot have ended it. */
static void pool_fault(void *data, const struct kpool_fault *fault)
{
	struct kpool_item *item = (struct kpool_item *)fault->item;
	struct kloop_request *req = container_of(item, struct kloop_request, item);

	if (fault->died)
		kloop_end_request(blk_mq_rq_from_pdu(req), -EIO);
}

static void pool_room(void *data)
{
	blk_mq_run_hw_queues(disk->queue, true);
}

/* Do not throttle a worker for dirty pages that its own requests clean. */
static void *pool_worker_init(void *data)
{
	current->flags |= PF_LOCAL_THROTTLE;
	return NULL;
}

static int pool_create(void)
{
	const struct kpool_attrs attrs = {
		.capacity	= capacity,
		.queue_depth	= queue_depth ?: KPOOL_NONE,
		.flags		= KPOOL_MEM_RECLAIM | KPOOL_NOIO,
		.worker_init	= pool_worker_init,
		.fault		= pool_fault,
		.room		= pool_room,
	};

	pool = kpool_create(&attrs, "kloop");
	return PTR_ERR_OR_ZERO(pool);
}

static int pool_submit(struct kloop_request *req)
{
	return kpool_try_submit(pool, &req->item);
}

static void pool_destroy(void)
{
	kpool_destroy(pool);
}

/* Engine workqueue: no bound but the tags, and each run sets up its thread. */

static struct workqueue_struct *queue;

static void queue_work_fn(struct work_struct *work)
{
	unsigned int noio = memalloc_noio_save();
	unsigned long flags = current->flags;

	current->flags |= PF_LOCAL_THROTTLE;
	kloop_run_request(container_of(work, struct kloop_request, work));
	current_restore_flags(flags, PF_LOCAL_THROTTLE);
	memalloc_noio_restore(noio);
}

static int queue_create(void)
{
	queue = alloc_workqueue("kpool_kloop", WQ_UNBOUND | WQ_MEM_RECLAIM,
				capacity);
	return queue ? 0 : -ENOMEM;
}

static int queue_submit(struct kloop_request *req)
{
	queue_work(queue, &req->work);
	return 0;
}

static void queue_destroy(void)
{
	destroy_workqueue(queue);
}

static const struct kloop_engine engines[] = {
	{ "kpool", pool_create, pool_submit, pool_destroy },
	{ "workqueue", queue_create, queue_submit, queue_destroy },
};

/* blk-mq */

/*
 * Initialize the items once and not for each request.  The last run of an item
 * can still be returning when ->queue_rq() is called for the next request.
 */
static int kloop_init_request(struct blk_mq_tag_set *set, struct request *rq,
			      unsigned int hctx_idx, blk_mq_node_t node)
{
	struct kloop_request *req = blk_mq_rq_to_pdu(rq);

	kpool_init_item(&req->item, pool_item_fn);
	INIT_WORK(&req->work, queue_work_fn);
	return 0;
}

/*
 * With BLK_STS_DEV_RESOURCE, the end of another request must run the queue.
 * blk-mq sets a flag for that before it calls this function.  The end must see
 * the flag if this function still counts that request.
 */
static blk_status_t kloop_queue_rq(struct blk_mq_hw_ctx *hctx,
				   const struct blk_mq_queue_data *bd)
{
	int err;

	blk_mq_start_request(bd->rq);
	err = engine->submit(blk_mq_rq_to_pdu(bd->rq));
	if (!err) {
		/* only now: if counted, the request has been accepted */
		atomic_inc(&busy);
		return BLK_STS_OK;
	}
	if (err != -EAGAIN)
		return errno_to_blk_status(err);
	smp_mb();	/* pairs with atomic_dec_return() in kloop_end_request() */
	return atomic_read(&busy) > 0 ? BLK_STS_DEV_RESOURCE : BLK_STS_RESOURCE;
}

static const struct blk_mq_ops kloop_mq_ops = {
	.queue_rq	= kloop_queue_rq,
	.init_request	= kloop_init_request,
};

/* An open device keeps the module loaded, also after it was unplugged. */
static const struct block_device_operations kloop_fops = {
	.owner		= THIS_MODULE,
};

/* Plug and unplug. */

static int kloop_add_disk(void)
{
	int err;

	tag_set.ops = &kloop_mq_ops;
	tag_set.nr_hw_queues = 1;
	tag_set.queue_depth = KLOOP_TAGS;
	tag_set.numa_node = NUMA_NO_NODE;
	tag_set.cmd_size = sizeof(struct kloop_request);
	tag_set.flags = BLK_MQ_F_SHOULD_MERGE;
	err = blk_mq_alloc_tag_set(&tag_set);
	if (err)
		return err;
	disk = blk_mq_alloc_cached_disk(&tag_set);
	if (IS_ERR(disk)) {
		err = PTR_ERR(disk);
		goto free_tag_set;
	}
	strscpy(disk->disk_name, "kloop0", DISK_NAME_LEN);
	disk->fops = &kloop_fops;
	disk->flags |= GENHD_FL_NO_PART;
	set_capacity(disk, i_size_read(file_inode(backing)) >> SECTOR_SHIFT);
	err = add_disk(disk);
	if (!err)
		return 0;
	put_disk(disk);
free_tag_set:
	disk = NULL;
	blk_mq_free_tag_set(&tag_set);
	return err;
}

static int kloop_open_backing(void)
{
	backing = filp_open(file, O_RDWR | O_LARGEFILE, 0);
	if (IS_ERR(backing)) {
		pr_err("file: cannot open \"%s\": %pe\n", file, backing);
		return PTR_ERR(backing);
	}
	if (S_ISREG(file_inode(backing)->i_mode) &&
	    i_size_read(file_inode(backing)) >= SECTOR_SIZE)
		return 0;
	pr_err("file: \"%s\" is not a regular file of a sector or more\n", file);
	filp_close(backing, NULL);
	return -EINVAL;
}

static void release_held(void)
{
	WRITE_ONCE(hold, false);
	wake_up_all(&hold_wait);
}

/*
 * Requests end, and later ones fail, before del_gendisk() returns.  Destroy the
 * pool before put_disk(): its room callback uses the request queue.
 */
static void kloop_unplug(void)
{
	mutex_lock(&disk_lock);
	if (disk) {
		release_held();
		del_gendisk(disk);
		engine->destroy();
		put_disk(disk);
		disk = NULL;
		blk_mq_free_tag_set(&tag_set);
		filp_close(backing, NULL);
	}
	mutex_unlock(&disk_lock);
}

static int unplug_set(const char *val, const struct kernel_param *kp)
{
	bool yes;
	int err = kstrtobool(val, &yes);

	if (!err && yes)
		kloop_unplug();
	return err;
}

static const struct kernel_param_ops unplug_ops = { .set = unplug_set };
module_param_cb(unplug, &unplug_ops, NULL, 0200);
MODULE_PARM_DESC(unplug, "1: remove the device, also under I/O");

static int hold_set(const char *val, const struct kernel_param *kp)
{
	int err = param_set_bool(val, kp);

	wake_up_all(&hold_wait);
	return err;
}

static const struct kernel_param_ops hold_ops = {
	.set	= hold_set,
	.get	= param_get_bool,
};
module_param_cb(hold, &hold_ops, &hold, 0644);
MODULE_PARM_DESC(hold, "1: requests wait in their threads, as for a slow medium, until 0");

static int check_params(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(engines); i++) {
		if (!strcmp(engines[i].name, engine_name))
			engine = &engines[i];
	}
	if (!engine) {
		pr_err("engine: \"%s\" is not kpool or workqueue\n", engine_name);
		return -EINVAL;
	}
	if (capacity < 1 || capacity > WQ_MAX_ACTIVE) {
		pr_err("capacity: %d is not in 1 to %d\n", capacity, WQ_MAX_ACTIVE);
		return -ERANGE;
	}
	if (queue_depth < 0) {
		pr_err("queue_depth: %d is less than 0\n", queue_depth);
		return -ERANGE;
	}
	return 0;
}

static int __init kloop_init(void)
{
	int err;

	err = check_params();
	if (err)
		return err;
	err = kloop_open_backing();
	if (err)
		return err;
	err = engine->create();
	if (err)
		goto close;
	mutex_lock(&disk_lock);
	err = kloop_add_disk();
	mutex_unlock(&disk_lock);
	if (!err)
		return 0;
	engine->destroy();
close:
	filp_close(backing, NULL);
	return err;
}

static void __exit kloop_exit(void)
{
	kloop_unplug();
}

module_init(kloop_init);
module_exit(kloop_exit);
MODULE_DESCRIPTION("kpool sample: a block device on a file");
MODULE_LICENSE("GPL");
