// SPDX-License-Identifier: GPL-2.0-only
/*
 * A real job: the SHA-256 of many files, one item per file.
 *
 *	cd /sys/kernel/debug/kpool_sha256
 *	find /usr -type f > paths	# returns when every file has been read
 *	cat digests			# in the format of sha256sum
 *	cat summary			# how many, how much, how fast
 *
 * The writer of `paths` is the submitter.  When the pool is full it sleeps in
 * kpool_submit_killable(), so `find` is held back to the speed of the workers,
 * and ^C ends it.  The number of workers can be changed all the while in
 * /sys/kernel/debug/kpool/sha256/capacity.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <crypto/sha2.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "kpool.h"

#define QUEUE_DEPTH	64

static int workers = 2;
module_param(workers, int, 0444);
MODULE_PARM_DESC(workers, "capacity of the pool at the start (default 2)");

/*
 * A file to hash.  The worker writes the result; others read it only after they
 * waited for the item, which makes it visible: no lock is needed.
 */
struct sha256_job {
	struct kpool_item item;
	struct list_head node;
	int err;
	u64 bytes;
	u8 digest[SHA256_DIGEST_SIZE];
	char path[];
};

/* The result of a batch, from open to close of `paths`. */
struct sha256_summary {
	u64 files;
	u64 unreadable;
	u64 bytes;
	u64 usecs;
};

static struct kpool *pool;
static struct dentry *dir;

static DEFINE_MUTEX(batch_lock);	/* protects the two below */
static LIST_HEAD(batch);		/* the jobs, in the order of their submit */
static struct sha256_summary summary;

/* The end of what was written to `paths`, as far as it is no whole line. */
static DEFINE_MUTEX(intake_lock);	/* protects the struct */
static struct {
	bool open;
	ktime_t start;
	size_t used;
	char line[PATH_MAX];
} intake;

/* The work: runs in a worker, one file after the other. */

static int hash_contents(struct sha256_job *job, struct file *file, u8 *buf)
{
	struct sha256_ctx ctx;
	loff_t pos = 0;
	ssize_t n;

	sha256_init(&ctx);
	while ((n = kernel_read(file, buf, SZ_16K, &pos)) > 0) {
		sha256_update(&ctx, buf, n);
		cond_resched();
	}
	sha256_final(&ctx, job->digest);
	job->bytes = pos;
	return n;
}

static int hash_file(struct sha256_job *job, struct file *file)
{
	u8 *buf;
	int err;

	if (!S_ISREG(file_inode(file)->i_mode))
		return -EINVAL;
	buf = kmalloc(SZ_16K, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	err = hash_contents(job, file, buf);
	kfree(buf);
	return err;
}

/* O_NONBLOCK: a pipe among the paths must not hold up a worker for ever. */
static int sha256_job_run(struct kpool_item *item)
{
	struct sha256_job *job = container_of(item, struct sha256_job, item);
	struct file *file;

	file = filp_open(job->path, O_RDONLY | O_LARGEFILE | O_NONBLOCK, 0);
	if (IS_ERR(file)) {
		job->err = PTR_ERR(file);
		return job->err;
	}
	job->err = hash_file(job, file);
	filp_close(file, NULL);
	return job->err;
}

/* The submit path: each line written to `paths` becomes an item. */

static int submit_path(const char *path)
{
	size_t len = strlen(path) + 1;
	struct sha256_job *job;
	int err;

	job = kzalloc(struct_size(job, path, len), GFP_KERNEL);
	if (!job)
		return -ENOMEM;
	memcpy(job->path, path, len);
	kpool_init_item(&job->item, sha256_job_run);

	err = kpool_submit_killable(pool, &job->item);
	if (err) {
		kfree(job);
		return err;
	}
	mutex_lock(&batch_lock);
	list_add_tail(&job->node, &batch);
	mutex_unlock(&batch_lock);
	return 0;
}

/* Submit the whole lines of the intake, and keep what remains. */
static int submit_lines(void)
{
	char *line = intake.line, *end = line + intake.used, *newline;
	int err = 0;

	while (!err && (newline = memchr(line, '\n', end - line))) {
		*newline = '\0';
		if (*line)
			err = submit_path(line);
		line = newline + 1;
	}
	intake.used = end - line;
	memmove(intake.line, line, intake.used);
	return err;
}

static void drop_batch(void)
{
	struct sha256_job *job, *next;

	list_for_each_entry_safe(job, next, &batch, node)
		kfree(job);
	INIT_LIST_HEAD(&batch);
}

/* Admit a single writer at a time; a new one begins a new batch. */
static int paths_open(struct inode *inode, struct file *file)
{
	int err = 0;

	mutex_lock(&intake_lock);
	if (intake.open)
		err = -EBUSY;
	intake.open = true;
	mutex_unlock(&intake_lock);
	if (err)
		return err;

	mutex_lock(&batch_lock);
	drop_batch();
	memset(&summary, 0, sizeof(summary));
	mutex_unlock(&batch_lock);
	intake.used = 0;
	intake.start = ktime_get();
	return stream_open(inode, file);
}

/* Takes what the intake has room for; the caller writes the rest again. */
static ssize_t paths_write(struct file *file, const char __user *ubuf,
			   size_t len, loff_t *ppos)
{
	int err;

	err = mutex_lock_killable(&intake_lock);
	if (err)
		return err;
	len = min(len, sizeof(intake.line) - 1 - intake.used);
	if (intake.used == sizeof(intake.line) - 1)
		err = -ENAMETOOLONG;
	else if (copy_from_user(intake.line + intake.used, ubuf, len))
		err = -EFAULT;
	if (!err) {
		intake.used += len;
		err = submit_lines();
	}
	mutex_unlock(&intake_lock);
	return err ?: len;
}

static void sum_up(u64 usecs)
{
	struct sha256_job *job;

	mutex_lock(&batch_lock);
	list_for_each_entry(job, &batch, node) {
		summary.files++;
		summary.unreadable += !!job->err;
		summary.bytes += job->bytes;
	}
	summary.usecs = usecs;
	mutex_unlock(&batch_lock);
}

/* A batch ends when its writer closes the file and its last item has run. */
static int paths_release(struct inode *inode, struct file *file)
{
	if (intake.used) {
		intake.line[intake.used++] = '\n';
		submit_lines();
	}
	kpool_flush(pool);
	sum_up(ktime_us_delta(ktime_get(), intake.start));

	mutex_lock(&intake_lock);
	intake.open = false;
	mutex_unlock(&intake_lock);
	return 0;
}

static const struct file_operations paths_fops = {
	.owner		= THIS_MODULE,
	.open		= paths_open,
	.write		= paths_write,
	.release	= paths_release,
};

/* The way out: each line read from `digests` waits for its file. */

static void *digests_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&batch_lock);
	return seq_list_start(&batch, *pos);
}

static void *digests_next(struct seq_file *m, void *v, loff_t *pos)
{
	return seq_list_next(v, &batch, pos);
}

static void digests_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&batch_lock);
}

static int digests_show(struct seq_file *m, void *v)
{
	struct sha256_job *job = list_entry(v, struct sha256_job, node);

	kpool_flush_item(&job->item);
	if (!job->err)
		seq_printf(m, "%*phN  %s\n", SHA256_DIGEST_SIZE, job->digest,
			   job->path);
	return 0;
}

static const struct seq_operations digests_sops = {
	.start	= digests_start,
	.next	= digests_next,
	.stop	= digests_stop,
	.show	= digests_show,
};
DEFINE_SEQ_ATTRIBUTE(digests);

static int summary_show(struct seq_file *m, void *v)
{
	mutex_lock(&batch_lock);
	seq_printf(m, "files %llu\nunreadable %llu\nbytes %llu\nmilliseconds %llu\n",
		   summary.files, summary.unreadable, summary.bytes,
		   div_u64(summary.usecs, USEC_PER_MSEC));
	seq_printf(m, "files_per_second %llu\n",
		   div64_u64(summary.files * USEC_PER_SEC,
			     max(summary.usecs, 1ULL)));
	mutex_unlock(&batch_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(summary);

static int __init kpool_sha256_init(void)
{
	const struct kpool_attrs attrs = {
		.capacity = workers,
		.queue_depth = QUEUE_DEPTH,
	};

	pool = kpool_create(&attrs, "sha256");
	if (IS_ERR(pool))
		return PTR_ERR(pool);

	dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("paths", 0200, dir, NULL, &paths_fops);
	debugfs_create_file("digests", 0400, dir, NULL, &digests_fops);
	debugfs_create_file("summary", 0400, dir, NULL, &summary_fops);
	return 0;
}

/* An open file holds the module, so no file is read or written. */
static void __exit kpool_sha256_exit(void)
{
	debugfs_remove_recursive(dir);
	kpool_destroy(pool);
	drop_batch();
}

module_init(kpool_sha256_init);
module_exit(kpool_sha256_exit);
MODULE_DESCRIPTION("kpool sample: SHA-256 of many files");
MODULE_LICENSE("GPL");
