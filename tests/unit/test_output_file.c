/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Output files: whole or not there, with and without a keeper, and the keeper gone whenever its
 * parent is. The keeper needs no privilege for this: what it gives up, it need not have.
 */
#include "os/output_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/unit.h"

static char directory[64];
static char target[96];

static bool make_directory(void)
{
	(void)snprintf(directory, sizeof(directory), "/tmp/output-file-XXXXXX");
	if (!UNIT_CHECK(mkdtemp(directory) != NULL, "no directory"))
		return false;
	(void)snprintf(target, sizeof(target), "%s/result.json", directory);
	return true;
}

/* Names in the directory but for . and .. */
static unsigned int count_names(void)
{
	DIR *stream = opendir(directory);
	unsigned int count = 0;

	while (stream != NULL && readdir(stream) != NULL)
		count++;
	if (stream != NULL)
		(void)closedir(stream);
	return count - 2;
}

static void remove_directory(void)
{
	(void)unlink(target);
	UNIT_CHECK(rmdir(directory) == 0, "%s is not empty", directory);
}

static void write_file(const char *text)
{
	FILE *stream = fopen(target, "w");

	if (stream == NULL)
		return;
	(void)fputs(text, stream);
	(void)fclose(stream);
}

static const char *read_file(char text[static 64])
{
	FILE *stream = fopen(target, "r");
	size_t length = 0;

	if (stream == NULL)
		return NULL;
	length = fread(text, 1, 63, stream);
	text[length] = '\0';
	(void)fclose(stream);
	return text;
}

static void check_commit(bool with_keeper)
{
	struct output_file file;
	struct error error;
	char text[64];

	if (!make_directory())
		return;
	error_clear(&error);
	write_file("old");
	(void)chmod(target, 0640);
	if (UNIT_CHECK(output_file_open(&file, target, with_keeper, &error) == 0, "%s",
		       error.text)) {
		struct stat status;

		(void)fputs("new", file.stream);
		(void)fflush(file.stream);
		UNIT_TEXT("not yet", read_file(text), "old");
		UNIT_UNSIGNED("temporary name", count_names(), 2);
		UNIT_CHECK(output_file_commit(&file, &error) == 0, "%s", error.text);
		UNIT_TEXT("now", read_file(text), "new");
		UNIT_UNSIGNED("one name", count_names(), 1);
		UNIT_CHECK(stat(target, &status) == 0 && (status.st_mode & 0777) == 0640, "mode");
		output_file_abandon(&file);
	}
	UNIT_CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD, "a child is left");
	remove_directory();
}

static void test_commit(void)
{
	check_commit(false);
	check_commit(true);
}

static void check_abandon(bool with_keeper)
{
	struct output_file file;
	struct error error;
	char text[64];

	if (!make_directory())
		return;
	error_clear(&error);
	write_file("old");
	if (UNIT_CHECK(output_file_open(&file, target, with_keeper, &error) == 0, "%s",
		       error.text)) {
		(void)fputs("new", file.stream);
		output_file_abandon(&file);
		UNIT_TEXT("still", read_file(text), "old");
		UNIT_UNSIGNED("one name", count_names(), 1);
		output_file_abandon(&file);
	}
	UNIT_CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD, "a child is left");
	remove_directory();
}

static void test_abandon(void)
{
	check_abandon(false);
	check_abandon(true);
}

/*
 * A process that dies with an open file: its keeper removes the temporary file and goes. The pipe
 * tells when the last process that has its end is gone, and so also that a keeper has not kept it.
 */
static void test_sudden_end(void)
{
	int pipe_ends[2];
	struct pollfd readable;
	pid_t child;

	if (!make_directory() || pipe(pipe_ends) != 0)
		return;
	child = fork();
	if (child == 0) {
		struct output_file file;

		(void)close(pipe_ends[0]);
		if (output_file_open(&file, target, true, NULL) != 0)
			_exit(1);
		/* What a terminal sends to its whole group does not end the keeper first. */
		(void)kill(file.keeper_pid, SIGINT);
		(void)kill(file.keeper_pid, SIGTERM);
		(void)kill(file.keeper_pid, SIGHUP);
		(void)kill(file.keeper_pid, SIGQUIT);
		(void)raise(SIGKILL);
	}
	(void)close(pipe_ends[1]);
	readable = (struct pollfd){.fd = pipe_ends[0], .events = POLLIN};
	UNIT_SIGNED("all ends closed", poll(&readable, 1, 5000), 1);
	UNIT_CHECK(child > 0 && waitpid(child, NULL, 0) == child, "no child");
	for (int i = 0; i < 500 && count_names() > 0; i++)
		(void)usleep(10000);
	UNIT_UNSIGNED("nothing is left", count_names(), 0);
	(void)close(pipe_ends[0]);
	remove_directory();
}

/* A keeper that was killed is noticed, and what was written is not thrown away. */
static void test_keeper_killed(void)
{
	struct output_file file;
	struct error error;
	char temporary[128];

	if (!make_directory())
		return;
	error_clear(&error);
	if (UNIT_CHECK(output_file_open(&file, target, true, &error) == 0, "%s", error.text)) {
		(void)snprintf(temporary, sizeof(temporary), "%s/%s", directory, file.temporary);
		(void)kill(file.keeper_pid, SIGKILL);
		UNIT_CHECK(output_file_commit(&file, &error) < 0, "no error");
		UNIT_CHECK(strstr(error.text, "keeper") != NULL, "%s", error.text);
		UNIT_CHECK(unlink(temporary) == 0, "the written file is gone");
	}
	UNIT_CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD, "a child is left");
	remove_directory();
}

static void test_direct(void)
{
	struct output_file file;
	struct error error;
	char path[32];
	char text[8] = "";
	int pipe_ends[2];

	error_clear(&error);
	UNIT_SIGNED("open /dev/full", output_file_open(&file, "/dev/full", true, &error), 0);
	UNIT_CHECK(file.temporary == NULL && file.keeper_pid < 0, "not written directly");
	(void)fputs("text", file.stream);
	UNIT_CHECK(output_file_commit(&file, &error) < 0, "no error");
	UNIT_SIGNED("no space", error.system_errno, ENOSPC);

	if (pipe(pipe_ends) != 0)
		return;
	(void)snprintf(path, sizeof(path), "/dev/fd/%d", pipe_ends[1]);
	UNIT_SIGNED("open /dev/fd", output_file_open(&file, path, true, &error), 0);
	(void)fputs("text", file.stream);
	UNIT_SIGNED("commit", output_file_commit(&file, &error), 0);
	UNIT_SIGNED("read", read(pipe_ends[0], text, sizeof(text) - 1), 4);
	UNIT_TEXT("text", text, "text");
	/* As the program's own sockets are, and nothing that the caller passed on can be. */
	(void)fcntl(pipe_ends[1], F_SETFD, FD_CLOEXEC);
	UNIT_CHECK(output_file_open(&file, path, true, &error) < 0, "own descriptor");
	(void)close(pipe_ends[0]);
	(void)close(pipe_ends[1]);
	UNIT_CHECK(output_file_open(&file, path, false, &error) < 0, "closed descriptor");
	UNIT_CHECK(output_file_open(&file, "/dev/fd/3x", false, &error) < 0, "no number");
}

static void test_refused(void)
{
	struct output_file file;
	struct error error;
	char path[400];

	if (!make_directory())
		return;
	error_clear(&error);
	UNIT_CHECK(symlink("elsewhere", target) == 0, "no link");
	UNIT_CHECK(output_file_open(&file, target, false, &error) < 0, "link followed");
	UNIT_CHECK(strstr(error.text, "symbolic link") != NULL, "%s", error.text);
	(void)unlink(target);
	UNIT_CHECK(output_file_open(&file, directory, false, &error) < 0, "a directory");
	(void)snprintf(path, sizeof(path), "%s/", directory);
	UNIT_SIGNED("no name", output_file_open(&file, path, false, &error), -ERROR_INVALID);
	UNIT_SIGNED("empty", output_file_open(&file, "", false, &error), -ERROR_INVALID);
	(void)snprintf(path, sizeof(path), "%s/no/file", directory);
	UNIT_CHECK(output_file_open(&file, path, false, &error) < 0, "no directory");
	UNIT_SIGNED("errno", error.system_errno, ENOENT);
	(void)snprintf(path, sizeof(path), "%s/%0255d", directory, 1);
	UNIT_CHECK(output_file_open(&file, path, true, &error) == 0, "%s", error.text);
	output_file_abandon(&file);
	UNIT_UNSIGNED("nothing is left", count_names(), 0);
	remove_directory();
}

const struct unit_suite suite_output_file = {
	"output-file",
	(const struct unit_test[]){
		{"commit", test_commit},
		{"abandon", test_abandon},
		{"sudden end", test_sudden_end},
		{"keeper killed", test_keeper_killed},
		{"written directly", test_direct},
		{"refusals", test_refused},
		{NULL, NULL},
	},
};
