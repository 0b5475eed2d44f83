/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An output file that is either whole or not there: written under a temporary name in its own
 * directory, renamed at the end. When real root has become somebody else by then, a keeper
 * process that was left behind with nothing but the right to that one directory does the
 * renaming. What is not a regular file (a pipe, /dev/full) is written directly.
 */
#ifndef FPING_BENCH_OS_OUTPUT_FILE_H
#define FPING_BENCH_OS_OUTPUT_FILE_H

#include <stdio.h>

#include "base/error.h"

struct output_file {
	FILE *stream;
	char *path;
	char *temporary; /* name in the same directory; NULL when written directly */
	int directory;   /* the directory, open for names only (O_PATH); -1 when written directly */
	int keeper_pipe; /* to the keeper, -1 without one */
	int keeper_pid;
};

/*
 * Opens path for writing as the present user. with_keeper: privileges will be dropped before the
 * commit, so start a keeper. Symbolic links are not followed at the last component. A regular
 * file that is there already is replaced at the commit by one of the same permission bits; a new
 * one has those that the umask leaves of 0666. /dev/stdout, /dev/stderr and /dev/fd/N mean that
 * open descriptor. Opening a pipe (FIFO) waits for its reader.
 */
int output_file_open(struct output_file *file, const char *path, bool with_keeper,
		     struct error *error) MUST_CHECK;

/*
 * Flushes and gives the file its name. On failure the temporary file is removed, unless its keeper
 * is gone: then the sentence names it.
 */
int output_file_commit(struct output_file *file, struct error *error) MUST_CHECK;

/* Removes the temporary file; nothing remains. Harmless after a commit or a failed open. */
void output_file_abandon(struct output_file *file);

#endif
