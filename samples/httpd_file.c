// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a path to a file below the root directory, and to no other.
 *
 * The path is looked up as after chroot(): the root is the parent of itself,
 * and where an absolute symbolic link begins.  The path can lead out all the
 * same, through the links in /proc or a directory that is moved away while ".."
 * is looked up in it.  That is found out afterwards: nothing is read, and no
 * device opened, before the place is known to be a regular file below the root.
 */
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/namei.h>
#include <linux/path.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "httpd.h"

#define DIRECTORY_INDEX	"index.html"

static struct path root;

int httpd_root_init(void)
{
	return kern_path(httpd_params.root, LOOKUP_FOLLOW | LOOKUP_DIRECTORY,
			 &root);
}

void httpd_root_exit(void)
{
	path_put(&root);
}

/* At once: fput() in a kernel thread would leave it to a work item. */
void httpd_close(struct file *file)
{
	__fput_sync(file);
}

static int status_of(int err)
{
	switch (err) {
	case -ENOENT:
	case -ENOTDIR:
		return 404;
	case -ELOOP:
	case -EACCES:
	case -EPERM:
		return 403;
	case -ENAMETOOLONG:
		return 414;
	case -ENOMEM:
	case -ENFILE:
		return 503;
	default:
		return 500;
	}
}

/* Is it what we serve?  @place is what O_PATH found. */
static bool may_be_read(const struct path *place)
{
	return path_is_under(place, &root) && d_is_reg(place->dentry);
}

static int open_regular(const char *name, struct file **file)
{
	struct file *place;
	int err = -EACCES;

	place = file_open_root(&root, name, O_PATH, 0);
	if (IS_ERR(place))
		return PTR_ERR(place);
	if (may_be_read(&place->f_path)) {
		*file = file_open_root(&place->f_path, "",
				       O_RDONLY | O_LARGEFILE | O_NONBLOCK, 0);
		err = PTR_ERR_OR_ZERO(*file);
	}
	httpd_close(place);
	return err;
}

static int open_index(const char *directory, struct file **file)
{
	char *name;
	int err;

	name = kasprintf(GFP_KERNEL, "%s" DIRECTORY_INDEX, directory);
	if (!name)
		return -ENOMEM;
	err = open_regular(name, file);
	kfree(name);
	return err;
}

static bool names_directory(const char *path)
{
	size_t len = strlen(path);

	return !len || path[len - 1] == '/';
}

/* Return: 200 and the file, or the status that says why not. */
int httpd_open(const char *path, struct file **file)
{
	struct file *opened;
	int err;

	if (names_directory(path))
		err = open_index(path, &opened);
	else
		err = open_regular(path, &opened);
	if (err)
		return status_of(err);
	*file = opened;
	return 200;
}

static const struct {
	const char *extension;
	const char *type;
} content_types[] = {
	{ "html", "text/html" },
	{ "htm", "text/html" },
	{ "txt", "text/plain" },
	{ "rst", "text/plain" },
	{ "css", "text/css" },
	{ "js", "text/javascript" },
	{ "json", "application/json" },
	{ "xml", "application/xml" },
	{ "svg", "image/svg+xml" },
	{ "png", "image/png" },
	{ "jpg", "image/jpeg" },
	{ "jpeg", "image/jpeg" },
	{ "gif", "image/gif" },
	{ "ico", "image/x-icon" },
	{ "pdf", "application/pdf" },
	{ "gz", "application/gzip" },
	{ "wasm", "application/wasm" },
};

/* By the extension; a path that names a directory means its index. */
const char *httpd_content_type(const char *path)
{
	const char *name = names_directory(path) ? DIRECTORY_INDEX :
						   kbasename(path);
	const char *dot = strrchr(name, '.');
	size_t i;

	for (i = 0; dot && i < ARRAY_SIZE(content_types); i++) {
		if (!strcasecmp(dot + 1, content_types[i].extension))
			return content_types[i].type;
	}
	return "application/octet-stream";
}
