/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a command and writes what the kernel accounts to it and its children: `wall user system`, in
 * nanoseconds, into a file. The shell's own `times` has a resolution of a hundredth of a second,
 * which is a percent of a bench round.
 *
 * Usage: timed FILE COMMAND [ARGUMENT...]    The exit status is the command's.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_MONOTONIC, &now) < 0)
		return 0;
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t timeval_ns(struct timeval value)
{
	return (int64_t)value.tv_sec * 1000000000 + (int64_t)value.tv_usec * 1000;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int64_t start_ns;
	int64_t wall_ns;
	int status;
	pid_t child;
	FILE *file;

	if (argc < 3) {
		fprintf(stderr, "usage: timed FILE COMMAND [ARGUMENT...]\n");
		return 2;
	}
	start_ns = now_ns();
	child = fork();
	if (child == 0) {
		(void)execvp(argv[2], argv + 2);
		fprintf(stderr, "timed: %s: %s\n", argv[2], strerror(errno));
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) < 0) {
		fprintf(stderr, "timed: %s\n", strerror(errno));
		return 2;
	}
	wall_ns = now_ns() - start_ns;
	file = fopen(argv[1], "w");
	if (file == NULL ||
	    fprintf(file, "%" PRId64 " %" PRId64 " %" PRId64 "\n", wall_ns,
		    timeval_ns(usage.ru_utime), timeval_ns(usage.ru_stime)) < 0 ||
	    fclose(file) != 0) {
		fprintf(stderr, "timed: %s: %s\n", argv[1], strerror(errno));
		return 2;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
