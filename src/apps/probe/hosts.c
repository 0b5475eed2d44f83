/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file of hosts is somebody's data: its size, its lines and its bytes are bounded here, so that
 * nothing behind this has to think about them. Names are cut in place.
 */
#include "apps/probe/hosts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/probe/shown.h"

#define READ_FIRST 65536u

int hosts_open(struct hosts *hosts, const char *const *names, uint32_t count, struct error *error)
{
	*hosts = (struct hosts){.count = count};
	if (count > HOSTS_MAX)
		return error_set(error, ERROR_INVALID, "%u hosts are more than %u: name fewer",
				 count, HOSTS_MAX);
	hosts->names = calloc(HOSTS_MAX, sizeof(*hosts->names));
	if (hosts->names == NULL)
		return error_set(error, ERROR_NO_MEMORY, "no memory for the list of hosts");
	memcpy(hosts->names, names, count * sizeof(*names));
	return 0;
}

void hosts_close(struct hosts *hosts)
{
	free(hosts->names);
	free(hosts->text);
	*hosts = (struct hosts){.names = NULL};
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Cuts comment and white space off a line; what remains, "" for nothing. */
static char *trim(char *line, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (line[i] == '#' && (i == 0 || is_blank(line[i - 1])))
			length = i;
	}
	while (length > 0 && is_blank(line[length - 1]))
		length--;
	line[length] = '\0';
	while (is_blank(*line))
		line++;
	return line;
}

static int add_line(struct hosts *hosts, char *line, size_t length, const char *where,
		    struct error *error)
{
	char buffer[SHOWN_LENGTH];
	const char *name;

	if (memchr(line, '\0', length) != NULL)
		return error_set(error, ERROR_INVALID, "%s: a NUL byte: this is no list of hosts",
				 where);
	name = trim(line, length);
	length = strlen(name);
	if (length == 0)
		return 0;
	if (length > HOSTS_NAME_MAX)
		return error_set(error, ERROR_INVALID, "%s: %zu bytes are no name: %u at most",
				 where, length, HOSTS_NAME_MAX);
	if (strpbrk(name, " \t\r") != NULL)
		return error_set(error, ERROR_INVALID,
				 "%s: '%s' is more than one word: one host a line", where,
				 shown(name, buffer));
	if (hosts->count == HOSTS_MAX)
		return error_set(error, ERROR_INVALID, "%s: more than %u hosts: name fewer", where,
				 HOSTS_MAX);
	hosts->names[hosts->count++] = name;
	return 0;
}

int hosts_add_text(struct hosts *hosts, char *text, size_t length, const char *path,
		   struct error *error)
{
	char buffer[SHOWN_LENGTH], where[SHOWN_LENGTH + 32];
	unsigned number = 0;
	char *line = text;
	char *end = text + length;

	if (hosts->text != NULL) {
		free(text);
		return error_set(error, ERROR_INTERNAL, "a list of hosts takes one text");
	}
	hosts->text = text;
	(void)shown(path, buffer);
	while (line < end) {
		char *stop = memchr(line, '\n', (size_t)(end - line));
		int status;

		if (stop == NULL)
			stop = end;
		(void)snprintf(where, sizeof(where), "%s: line %u", buffer, ++number);
		status = add_line(hosts, line, (size_t)(stop - line), where, error);
		if (status < 0)
			return status;
		line = stop + 1;
	}
	return 0;
}

/* Reads all of a descriptor, with a NUL behind it, into memory that the caller frees. */
static int read_all(int descriptor, const char *name, char **text, size_t *length,
		    struct error *error)
{
	size_t capacity = READ_FIRST;
	size_t used = 0;
	char *memory = malloc(capacity + 1);

	while (memory != NULL) {
		ssize_t got = read(descriptor, memory + used, capacity - used);
		char *larger;

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			free(memory);
			return error_set_system(error, errno, "%s: cannot be read", name);
		}
		used += (size_t)got;
		if (got == 0) {
			memory[used] = '\0';
			*text = memory;
			*length = used;
			return 0;
		}
		if (used > HOSTS_FILE_MAX) {
			free(memory);
			return error_set(error, ERROR_INVALID, "%s: larger than %u bytes", name,
					 HOSTS_FILE_MAX);
		}
		if (used < capacity)
			continue;
		capacity *= 2;
		larger = realloc(memory, capacity + 1);
		if (larger == NULL)
			free(memory);
		memory = larger;
	}
	return error_set(error, ERROR_NO_MEMORY, "%s: no memory for it", name);
}

int hosts_add_file(struct hosts *hosts, const char *path, struct error *error)
{
	bool is_standard_input = strcmp(path, "-") == 0;
	char buffer[SHOWN_LENGTH];
	int descriptor = STDIN_FILENO;
	size_t length = 0;
	char *text = NULL;
	int status;

	if (is_standard_input)
		path = "standard input";
	(void)shown(path, buffer);
	if (!is_standard_input)
		descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (descriptor < 0)
		return error_set_system(error, errno, "%s: cannot be opened", buffer);
	status = read_all(descriptor, buffer, &text, &length, error);
	if (!is_standard_input)
		(void)close(descriptor);
	if (status < 0)
		return status;
	return hosts_add_text(hosts, text, length, path, error);
}
