/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replays stored inputs through one fuzz target without libFuzzer, so that the corpus is an
 * ordinary regression test under any compiler. Each input lies in a block of exactly its size: a
 * read past the end is then visible to AddressSanitizer and to valgrind. The name of an input goes
 * to stderr before it runs, so that after a crash the last line of the log names the culprit.
 *
 * Usage: replay TARGET PATH...    PATH is a file, or a directory whose files are all taken.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Runs the target over one file. 0, or -1 with a line on stderr. */
static int replay_file(const char *path, size_t size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = malloc(size);
	int status = -1;

	if (file == NULL || (data == NULL && size > 0)) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
	} else if (fread(data, 1, size, file) != size) {
		fprintf(stderr, "%s: short read\n", path);
	} else {
		fprintf(stderr, "input %s (%zu bytes)\n", path, size);
		(void)LLVMFuzzerTestOneInput(data, size);
		status = 0;
	}
	free(data);
	if (file != NULL)
		(void)fclose(file);
	return status;
}

static int replay_path(const char *path, unsigned int *inputs);

/* Runs the target over every file below a directory, in any order: inputs are independent. */
static int replay_directory(const char *path, unsigned int *inputs)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	int status = 0;

	if (directory == NULL) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	while (status == 0 && (entry = readdir(directory)) != NULL) {
		char name[4096];

		if (entry->d_name[0] == '.')
			continue;
		if (snprintf(name, sizeof(name), "%s/%s", path, entry->d_name) >= (int)sizeof(name))
			status = -1;
		else
			status = replay_path(name, inputs);
	}
	(void)closedir(directory);
	return status;
}

static int replay_path(const char *path, unsigned int *inputs)
{
	struct stat facts;

	if (stat(path, &facts) < 0) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	if (S_ISDIR(facts.st_mode))
		return replay_directory(path, inputs);
	(*inputs)++;
	return replay_file(path, (size_t)facts.st_size);
}

int main(int argc, char **argv)
{
	unsigned int inputs = 0;

	if (argc < 3) {
		fprintf(stderr, "usage: replay TARGET PATH...\n");
		return 2;
	}
	for (int i = 2; i < argc; i++) {
		if (replay_path(argv[i], &inputs) < 0) {
			printf("not ok fuzz-corpus/%s: %s cannot be replayed\n", argv[1], argv[i]);
			return 1;
		}
	}
	if (inputs == 0) {
		printf("not ok fuzz-corpus/%s: no input in the corpus\n", argv[1]);
		return 1;
	}
	printf("ok fuzz-corpus/%s (%u inputs)\n", argv[1], inputs);
	return 0;
}
