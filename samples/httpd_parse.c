// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parse a request.  Pure functions of the bytes received; everything that is
 * not a well-formed request is refused rather than guessed at.
 *
 * Functions return 0, or the status to answer.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/limits.h>
#include <linux/string.h>

#include "httpd.h"

/*
 * Find the end of the head.  Return its length with the empty line, or 0 if
 * that has not come.  Return -EBADMSG if it never can: a control character, a
 * line that does not end with CR LF.  Starts at @scanned, and moves it on.
 */
ssize_t httpd_head_length(const char *buf, size_t len, size_t *scanned)
{
	size_t i;

	for (i = *scanned; i < len; i++) {
		bool after_cr = i && buf[i - 1] == '\r';
		u8 c = buf[i];

		if (after_cr != (c == '\n'))
			return -EBADMSG;
		if ((c < ' ' && c != '\t' && c != '\r' && c != '\n') || c == 0x7f)
			return -EBADMSG;
		if (i >= 3 && !memcmp(buf + i - 3, "\r\n\r\n", 4))
			return i + 1;
	}
	*scanned = len;
	return 0;
}

/* Cut off the first line: there is one, and it ends with CR LF. */
static char *cut_line(char **rest)
{
	char *line = *rest, *end = strchr(line, '\r');

	*end = '\0';
	*rest = end + 2;
	return line;
}

static bool is_token(const char *s)
{
	const char *p;

	for (p = s; *p; p++) {
		if (!isascii(*p) || (!isalnum(*p) && !strchr("!#$%&'*+-.^_`|~", *p)))
			return false;
	}
	return p > s;
}

/* The request line */

static enum httpd_method method_of(const char *name)
{
	static const char * const others[] = {
		"POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH",
	};
	size_t i;

	if (!strcmp(name, "GET"))
		return HTTPD_GET;
	if (!strcmp(name, "HEAD"))
		return HTTPD_HEAD;
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		if (!strcmp(name, others[i]))
			return HTTPD_NOT_ALLOWED;
	}
	return HTTPD_NOT_IMPLEMENTED;
}

static int parse_version(const char *version, struct httpd_request *req)
{
	if (strncmp(version, "HTTP/", 5) || !isdigit(version[5]) ||
	    version[6] != '.' || !isdigit(version[7]) || version[8])
		return 400;
	req->minor = version[7] - '0';
	return version[5] == '1' ? 0 : 505;
}

/* The byte that two hexadecimal digits mean; false if they are none. */
static bool decode_byte(const char *digits, u8 *byte)
{
	char text[3] = { digits[0], digits[0] ? digits[1] : '\0' };

	return isxdigit(text[0]) && isxdigit(text[1]) &&
	       !kstrtou8(text, 16, byte);
}

/*
 * Undo percent-encoding in place.  A NUL and a slash cannot be in a file's
 * name, so a client that encodes them means no good.
 */
static int decode(char *path)
{
	char *to = path;
	u8 byte;

	for (; *path; path++) {
		byte = *path;
		if (byte == '%') {
			if (!decode_byte(path + 1, &byte) || !byte || byte == '/')
				return 400;
			path += 2;
		}
		*to++ = byte;
	}
	*to = '\0';
	return 0;
}

/* Path in "http://host:port/path", as sent to proxies, from its slash on. */
static char *skip_authority(char *target)
{
	char *authority = target + strlen("http://");
	char *path = authority + strcspn(authority, "/?");

	if (path == authority)
		return NULL;
	/* an empty path means "/": the place of the last slash will do */
	if (*path != '/')
		*--path = '/';
	return path;
}

static bool is_printable(const char *s)
{
	while (*s > ' ' && *s < 0x7f)
		s++;
	return !*s;
}

/* Other forms, such as "*", name no file; the method decides what to answer. */
static int parse_target(char *target, struct httpd_request *req)
{
	int status;

	if (!*target || !is_printable(target) || strchr(target, '#'))
		return 400;
	if (!strncasecmp(target, "http://", 7))
		target = skip_authority(target);
	if (!target)
		return 400;
	if (*target != '/')
		return 0;
	target[strcspn(target, "?")] = '\0';
	status = decode(target);
	if (status)
		return status;
	req->path = target + strspn(target, "/");
	return strlen(req->path) < PATH_MAX ? 0 : 414;
}

/* Three words with one space between them. */
static int parse_request_line(char *line, struct httpd_request *req)
{
	char *method = strsep(&line, " ");
	char *target = strsep(&line, " ");
	int status;

	if (!line || !is_token(method))
		return 400;
	req->method = method_of(method);
	status = parse_version(line, req);
	return status ?: parse_target(target, req);
}

/* The fields that matter */

/* The name of a host, or its address, and perhaps a port. */
static int parse_host(char *value, struct httpd_request *req)
{
	for (; *value; value++) {
		if (!isascii(*value) ||
		    (!isalnum(*value) && !strchr("-._~!$&'()*+,;=:[]%", *value)))
			return 400;
	}
	return ++req->hosts > 1 ? 400 : 0;
}

static int parse_content_length(char *value, struct httpd_request *req)
{
	if (req->has_length || !isdigit(*value) ||
	    kstrtoull(value, 10, &req->length))
		return 400;
	req->has_length = true;
	return 0;
}

/* A body of unknown length is not read: say that its length is wanted. */
static int parse_transfer_encoding(char *value, struct httpd_request *req)
{
	req->coding_status = strcasecmp(value, "chunked") ? 501 : 411;
	return 0;
}

static int parse_connection(char *value, struct httpd_request *req)
{
	char *option;

	while ((option = strsep(&value, ", \t"))) {
		if (!strcasecmp(option, "close"))
			req->says_close = true;
		if (!strcasecmp(option, "keep-alive"))
			req->says_keep_alive = true;
	}
	return 0;
}

static int parse_expect(char *value, struct httpd_request *req)
{
	req->expects = true;
	return 0;
}

static const struct {
	const char *name;
	int (*parse)(char *value, struct httpd_request *req);
} fields[] = {
	{ "Host", parse_host },
	{ "Content-Length", parse_content_length },
	{ "Transfer-Encoding", parse_transfer_encoding },
	{ "Connection", parse_connection },
	{ "Expect", parse_expect },
};

static char *trim(char *value)
{
	size_t len;

	value += strspn(value, " \t");
	len = strlen(value);
	while (len && strchr(" \t", value[len - 1]))
		value[--len] = '\0';
	return value;
}

/* No space before the colon, and no line that continues the one before it. */
static int parse_field(char *line, struct httpd_request *req)
{
	char *name = strsep(&line, ":");
	size_t i;

	if (!line || !is_token(name))
		return 400;
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		if (!strcasecmp(name, fields[i].name))
			return fields[i].parse(trim(line), req);
	}
	return 0;
}

/* Check what the fields mean together. */
static int check_fields(struct httpd_request *req)
{
	if (req->minor > 0 && req->hosts != 1)
		return 400;
	if (req->coding_status)
		return req->has_length || !req->minor ? 400 : req->coding_status;
	if (req->expects)
		return 417;
	req->keep_alive = !req->says_close &&
			  (req->minor > 0 || req->says_keep_alive);
	return 0;
}

/*
 * Parse a head that httpd_head_length() has found complete.  @req starts out
 * zeroed; its path lies in @head.
 */
int httpd_parse(char *head, struct httpd_request *req)
{
	char *line = cut_line(&head);
	int status;

	status = parse_request_line(line, req);
	while (!status && *(line = cut_line(&head)))
		status = parse_field(line, req);
	return status ?: check_fields(req);
}
