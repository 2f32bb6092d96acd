// SPDX-License-Identifier: GPL-2.0-only
/*
 * debugfs_stress DIRECTORY SEED COUNT: a program that does COUNT random things
 * to random files of a directory and of those in it.
 *
 * It keeps up to SLOTS of them open, also when the files go away.  It exits
 * with 1 if a write is refused with an error that no bad value deserves.  So it
 * does if a read gives bytes that are no text.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define SLOTS	48
#define PATHS	256
#define SIZE	70000

static const char *root;
static char path[PATHS][512];
static int nr_paths;
static int slot[SLOTS];
static char buffer[SIZE];
static unsigned long long state;
static unsigned long done, worked, wrong;

/* xorshift64* */
static unsigned long long next_random(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 2685821657736338717ULL;
}

static unsigned int below(unsigned int n)
{
	return (next_random() >> 32) % n;
}

static void list(const char *dir, int depth)
{
	struct dirent *entry;
	DIR *d = opendir(dir);
	char *name;

	if (!d)
		return;
	while (nr_paths < PATHS) {
		entry = readdir(d);
		if (!entry)
			break;
		if (entry->d_name[0] == '.')
			continue;
		name = path[nr_paths++];
		snprintf(name, sizeof(path[0]), "%.200s/%s", dir,
			 entry->d_name);
		if (entry->d_type == DT_DIR && depth)
			list(name, depth - 1);
	}
	closedir(d);
}

/* Pools come and go. */
static void list_again(void)
{
	nr_paths = 0;
	list(root, 1);
}

static const char *any_path(void)
{
	return nr_paths ? path[below(nr_paths)] : root;
}

static int any_fd(void)
{
	return slot[below(SLOTS)];
}

static off_t any_offset(void)
{
	static const off_t odd[] = {
		0, 0, 0, 1, 17, 4095, 4096, 65536, INT_MAX, LLONG_MAX, -1,
		LLONG_MIN,
	};

	return odd[below(ARRAY_SIZE(odd))];
}

static size_t any_size(void)
{
	static const size_t odd[] = {
		0, 1, 2, 16, 100, 4095, 4096, 4097, SIZE,
	};

	return odd[below(ARRAY_SIZE(odd))];
}

static long note(long result)
{
	worked += result >= 0;
	return result;
}

static void expect(int good, const char *what, long value)
{
	if (good || wrong++ > 10)
		return;
	printf("# %s %ld\n", what, value);
}

/* Is it an error that a bad value, or a file that has gone, deserves? */
static void check_write(long result)
{
	static const int deserved[] = {
		EINVAL, ERANGE, EFAULT, EIO, EBADF, ENOMEM, EFBIG, ESPIPE,
		EPERM,
	};
	size_t i;

	if (note(result) >= 0)
		return;
	for (i = 0; i < ARRAY_SIZE(deserved); i++)
		if (errno == deserved[i])
			return;
	expect(0, "a write is refused with error", errno);
}

static void check_text(const char *text, long n)
{
	long i;

	for (i = 0; i < n; i++)
		if ((text[i] < ' ' || text[i] > '~') && text[i] != '\n')
			break;
	expect(n <= 0 || i == n, "a read gives the byte", text[i]);
}

/* Where nothing is written: a short stall time has traces logged, as asked. */
static int is_spared(const char *name)
{
	const char *last = strrchr(name, '/');

	return last && !strcmp(last, "/stall_ms");
}

static void do_open(void)
{
	static const int modes[] = {
		O_RDONLY, O_RDONLY, O_WRONLY, O_RDWR, O_RDWR,
		O_RDWR | O_APPEND, O_RDWR | O_TRUNC, O_RDONLY | O_DIRECTORY,
		O_RDWR | O_CREAT, O_PATH, O_RDWR | O_NONBLOCK,
	};
	int mode = modes[below(ARRAY_SIZE(modes))];
	const char *name = any_path();
	int i = below(SLOTS);

	if (slot[i] >= 0)
		close(slot[i]);
	slot[i] = note(open(name, is_spared(name) ? O_RDONLY : mode, 0600));
}

static void do_read(void)
{
	check_text(buffer, note(read(any_fd(), buffer, any_size())));
}

static void do_pread(void)
{
	check_text(buffer, note(pread(any_fd(), buffer, any_size(),
				      any_offset())));
}

static void do_read_nowhere(void)
{
	note(read(any_fd(), (void *)(long)below(2), any_size()));
}

/* A value that some file takes. */
static size_t good_text(void)
{
	static const char * const words[] = {
		"0", "1", "2", "3", "8", "64", "unlimited", "none", "never",
		"yes", "no", "wait", "drop_oldest", "caller_runs", "normal",
		"batch", "idle", "any", "all", "0-1", "100", "1000", "5",
	};
	const char *word = words[below(ARRAY_SIZE(words))];

	return sprintf(buffer, below(2) ? "%s\n" : "%s", word);
}

/* A value that no file takes. */
static size_t bad_text(void)
{
	static const char * const words[] = {
		"", " ", "\n", "-99999", "99999999999999999999", "0x", "%s%n",
		"1 2 3", "2147483648", "UNLIMITED", "1-0", "4096-8192", "1,,2",
	};

	return sprintf(buffer, "%s",
		       words[below(ARRAY_SIZE(words))]);
}

static size_t noise(void)
{
	size_t i, n = any_size();

	for (i = 0; i < n; i++)
		buffer[i] = next_random();
	return n;
}

static size_t any_text(void)
{
	switch (below(10)) {
	case 0:
		return bad_text();
	case 1:
		return noise();
	default:
		return good_text();
	}
}

static void do_write(void)
{
	check_write(write(any_fd(), buffer, any_text()));
}

static void do_pwrite(void)
{
	check_write(pwrite(any_fd(), buffer, any_text(), any_offset()));
}

static void do_write_nowhere(void)
{
	check_write(write(any_fd(), (void *)(long)below(2), any_size()));
}

static void do_vectors(void)
{
	struct iovec v[3] = {
		{ buffer, below(8) }, { buffer + 8, any_size() / 2 },
		{ below(4) ? buffer : NULL, below(4) },
	};

	if (below(4))
		note(readv(any_fd(), v, below(4)));
	else
		note(writev(any_fd(), v, below(4)));
}

static void do_seek(void)
{
	note(lseek(any_fd(), any_offset(), below(6)));
}

static void do_close(void)
{
	int i = below(SLOTS);

	if (slot[i] >= 0)
		note(close(slot[i]));
	slot[i] = -1;
}

static void do_dup(void)
{
	int i = below(SLOTS);

	if (slot[i] >= 0)
		close(slot[i]);
	slot[i] = note(dup(any_fd()));
}

static void do_rare(void)
{
	struct pollfd p = { .fd = any_fd(), .events = POLLIN | POLLOUT };
	struct stat st;
	void *map;

	switch (below(9)) {
	case 0:
		note(fstat(any_fd(), &st));
		break;
	case 1:
		note(ioctl(any_fd(), below(65536), buffer));
		break;
	case 2:
		map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
			   any_fd(), 0);
		if (map != MAP_FAILED)
			munmap(map, 4096);
		break;
	case 3:
		note(poll(&p, 1, 0));
		break;
	case 4:
		note(sendfile(any_fd(), any_fd(), NULL, any_size()));
		break;
	case 5:
		note(ftruncate(any_fd(), below(8192)));
		break;
	case 6:
		note(fsync(any_fd()));
		break;
	case 7:
		note(unlink(any_path()));
		break;
	default:
		list_again();
	}
}

static const struct {
	void		(*fn)(void);
	unsigned int	weight;
} ops[] = {
	{ do_open, 20 }, { do_read, 20 }, { do_pread, 10 },
	{ do_read_nowhere, 2 }, { do_write, 12 }, { do_pwrite, 3 },
	{ do_write_nowhere, 1 }, { do_vectors, 6 }, { do_seek, 10 },
	{ do_close, 5 }, { do_dup, 4 }, { do_rare, 7 },
};

static void do_random(void)
{
	unsigned int i = 0, rnd = below(100);

	while (rnd >= ops[i].weight)
		rnd -= ops[i++].weight;
	ops[i].fn();
	done++;
}

int main(int argc, char **argv)
{
	unsigned long count;
	int i;

	if (argc != 4)
		return 2;
	root = argv[1];
	state = strtoul(argv[2], NULL, 0) * 2654435761U + 88172645463325252ULL;
	count = strtoul(argv[3], NULL, 0);
	for (i = 0; i < SLOTS; i++)
		slot[i] = -1;
	for (list_again(); done < count; do_random())
		if (done % 256 == 0)
			list_again();
	printf("# seed %s: %lu calls, %lu of them worked\n", argv[2], done,
	       worked);
	return wrong || worked < count / 8;
}
