// SPDX-License-Identifier: GPL-2.0-only
#include <linux/slab.h>

#include "kpool.h"

struct report {
	struct kpool_item item;
	int nr;
};

static struct kpool *reports;

/* Consumer: runs in a worker, and frees what the producer allocated. */
static int report_consume(struct kpool_item *item)
{
	struct report *report = container_of(item, struct report, item);
	int err = report_send(report->nr);

	kfree(report);
	return err;
}

static int reports_start(void)
{
	const struct kpool_attrs attrs = { .capacity = 2, .queue_depth = 8 };

	reports = kpool_create(&attrs, "reports");
	return PTR_ERR_OR_ZERO(reports);
}

/* Producer: sleeps while two reports are sent and eight wait. */
static int report_produce(int nr)
{
	struct report *report = kzalloc(sizeof(*report), GFP_KERNEL);
	int err;

	if (!report)
		return -ENOMEM;
	report->nr = nr;
	kpool_init_item(&report->item, report_consume);
	err = kpool_submit_killable(reports, &report->item);
	if (err)
		kfree(report);	/* not accepted, so no consumer frees it */
	return err;
}
