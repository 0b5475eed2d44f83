/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Output files: a temporary name, a rename, and for real root a keeper. A reader of the final
 * name so finds the old file or the whole new one, and a run that fails leaves nothing.
 *
 * The keeper is a child that is forked before the drop, because afterwards nobody in the process
 * may rename in root's directories. It holds two descriptors (its socket, the directory) and two
 * capabilities (privilege_keep_file_rights), and can do two things: at one byte from the parent it
 * gives the file its name, at anything else, which includes the end of the parent in whatever way
 * (the socket closes), it removes the file. It never reads a path: directory and both names were
 * fixed before the fork. Signals for the whole foreground group do not end it before its parent.
 *
 * The mode of a new file comes from the caller's umask, which the program never changes.
 */
#include "os/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/privilege.h"

#define NAME_ATTEMPTS 16
#define NAME_LENGTH 48
#define NEW_MODE 0666
#define KEEPER_SOCKET 0    /* descriptors of the keeper */
#define KEEPER_DIRECTORY 1
#define COMMIT_BYTE 'c'

/* The last component of a path. */
static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? path : slash + 1;
}

/* The descriptor that a path like /dev/fd/3 stands for, -1 for other paths. */
static int descriptor_of(const char *path)
{
	static const char *const prefixes[] = {"/dev/fd/", "/proc/self/fd/"};

	if (strcmp(path, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	if (strcmp(path, "/dev/stderr") == 0)
		return STDERR_FILENO;
	for (size_t i = 0; i < ARRAY_LENGTH(prefixes); i++) {
		size_t length = strlen(prefixes[i]);
		const char *digits = path + length;
		size_t count;

		if (strncmp(path, prefixes[i], length) != 0)
			continue;
		count = strspn(digits, "0123456789");
		if (count >= 1 && count <= 6 && digits[count] == '\0')
			return (int)strtol(digits, NULL, 10);
	}
	return -1;
}

static void forget(struct output_file *file)
{
	if (file->stream != NULL)
		(void)fclose(file->stream);
	if (file->directory >= 0)
		(void)close(file->directory);
	if (file->keeper_pipe >= 0)
		(void)close(file->keeper_pipe);
	free(file->path);
	free(file->temporary);
	*file = (struct output_file){.directory = -1, .keeper_pipe = -1, .keeper_pid = -1};
}

/* Opens the directory that the path is in. */
static int open_directory(struct output_file *file, struct error *error)
{
	size_t length = (size_t)(base_name(file->path) - file->path);
	char *directory = length == 0 ? strdup(".") : strndup(file->path, length);

	if (directory == NULL)
		return error_set_system(error, ENOMEM, "cannot prepare %s", file->path);
	file->directory = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(directory);
	if (file->directory < 0)
		return error_set_system(error, errno, "cannot find the directory of %s",
					file->path);
	return 0;
}

/*
 * Creates the temporary file. Its name is random, so that nobody who may write in the same
 * directory can have it there first, and not made from the final one, which may be as long as names
 * can be.
 */
static int open_temporary(struct output_file *file, int *descriptor, struct error *error)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;

	file->temporary = malloc(NAME_LENGTH);
	if (file->temporary == NULL)
		return error_set_system(error, ENOMEM, "cannot prepare %s", file->path);
	for (int attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
		unsigned long long number;

		if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
			return error_set_system(error, errno, "cannot make up a temporary name");
		(void)snprintf(file->temporary, NAME_LENGTH, ".fping-bench-%016llx.tmp", number);
		*descriptor = openat(file->directory, file->temporary, flags, NEW_MODE);
		if (*descriptor >= 0 || errno != EEXIST)
			break;
	}
	if (*descriptor < 0) {
		int failure = errno;

		free(file->temporary);
		file->temporary = NULL;
		return error_set_system(error, failure, "cannot create a file beside %s",
					file->path);
	}
	return 0;
}

/*
 * Opens what the path stands for: a descriptor or something that is no regular file directly, else
 * a temporary file that will take its place.
 */
static int open_target(struct output_file *file, int *descriptor, struct error *error)
{
	int inherited = descriptor_of(file->path);
	struct stat present;
	bool exists;
	int result;

	if (inherited >= 0) {
		int flags = fcntl(inherited, F_GETFD);

		/* What came by exec is never close-on-exec; what this program opened always is. */
		if (flags >= 0 && (flags & FD_CLOEXEC) != 0)
			return error_set_system(error, EBADF, "cannot write to %s", file->path);
		*descriptor = fcntl(inherited, F_DUPFD_CLOEXEC, 3);
		if (*descriptor < 0)
			return error_set_system(error, errno, "cannot write to %s", file->path);
		return 0;
	}
	if (base_name(file->path)[0] == '\0')
		return error_set(error, ERROR_INVALID, "'%s' is no name of a file", file->path);
	exists = lstat(file->path, &present) == 0;
	if (!exists && errno != ENOENT)
		return error_set_system(error, errno, "cannot look at %s", file->path);
	if (exists && S_ISLNK(present.st_mode))
		return error_set(error, ERROR_INVALID,
				 "%s is a symbolic link: give the name of the file itself",
				 file->path);
	if (exists && !S_ISREG(present.st_mode)) {
		*descriptor = open(file->path, O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
		if (*descriptor < 0)
			return error_set_system(error, errno, "cannot open %s", file->path);
		return 0;
	}
	/* The rename would replace it all the same, but write protection is meant to protect. */
	if (exists && faccessat(AT_FDCWD, file->path, W_OK, AT_EACCESS) != 0)
		return error_set_system(error, errno, "cannot replace %s", file->path);
	result = open_directory(file, error);
	if (result == 0)
		result = open_temporary(file, descriptor, error);
	if (result == 0 && exists && fchmod(*descriptor, present.st_mode & 0777) != 0)
		result = error_set_system(error, errno, "cannot set the mode of the file for %s",
					  file->path);
	return result;
}

/* Renames or removes, as the byte says; the answer is the errno of the attempt. */
static void keeper_serve(const struct output_file *file)
{
	int32_t answer = 0;
	char order = 0;
	ssize_t received;

	do
		received = recv(KEEPER_SOCKET, &order, 1, 0);
	while (received < 0 && errno == EINTR);
	if (received == 1 && order == COMMIT_BYTE) {
		if (renameat(KEEPER_DIRECTORY, file->temporary, KEEPER_DIRECTORY,
			     base_name(file->path)) != 0)
			answer = errno;
	}
	if (received != 1 || order != COMMIT_BYTE || answer != 0)
		(void)unlinkat(KEEPER_DIRECTORY, file->temporary, 0);
	(void)send(KEEPER_SOCKET, &answer, sizeof(answer), MSG_NOSIGNAL);
}

/*
 * Life of the keeper. All other descriptors are closed: it must not hold a pipe open that somebody
 * reads, nor the other end of its own socket. It leaves by _exit, since what the parent had in
 * its stdio buffers is the parent's.
 */
static _Noreturn void keeper_run(const struct output_file *file, int socket_end)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
	sigset_t none;
	int32_t ready = 0;
	int channel = fcntl(socket_end, F_DUPFD, 3);
	int directory = fcntl(file->directory, F_DUPFD, 3);

	for (size_t i = 0; i < ARRAY_LENGTH(ignored); i++)
		(void)signal(ignored[i], SIG_IGN);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	if (channel < 0 || directory < 0 || dup2(channel, KEEPER_SOCKET) < 0 ||
	    dup2(directory, KEEPER_DIRECTORY) < 0 || close_range(2, ~0U, 0) != 0)
		_exit(EXIT_FAILURE);
	if (privilege_keep_file_rights(NULL) < 0)
		_exit(EXIT_FAILURE);
	if (send(KEEPER_SOCKET, &ready, sizeof(ready), MSG_NOSIGNAL) == (ssize_t)sizeof(ready))
		keeper_serve(file);
	_exit(EXIT_SUCCESS);
}

/* Waits for the keeper's word: its errno, or -1 if it is gone. */
static int keeper_answer(const struct output_file *file)
{
	int32_t answer;
	ssize_t received;

	do
		received = recv(file->keeper_pipe, &answer, sizeof(answer), 0);
	while (received < 0 && errno == EINTR);
	return received == (ssize_t)sizeof(answer) ? answer : -1;
}

/* Lets go of the keeper and takes its exit status, so that no zombie is left. */
static void keeper_end(struct output_file *file)
{
	if (file->keeper_pid < 0)
		return;
	(void)close(file->keeper_pipe);
	file->keeper_pipe = -1;
	while (waitpid(file->keeper_pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	file->keeper_pid = -1;
}

/* Signals wait until the keeper has its own actions: the parent's handlers are not for it. */
static int keeper_start(struct output_file *file, struct error *error)
{
	int ends[2];
	sigset_t all, before;
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return error_set_system(error, errno, "cannot start the keeper of %s", file->path);
	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, &before);
	child = fork();
	if (child == 0)
		keeper_run(file, ends[1]);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	(void)close(ends[1]);
	file->keeper_pipe = ends[0];
	if (child < 0)
		return error_set_system(error, errno, "cannot start the keeper of %s", file->path);
	file->keeper_pid = child;
	if (keeper_answer(file) != 0)
		return error_set(error, ERROR_SYSTEM, "the keeper of %s did not start", file->path);
	return 0;
}

int output_file_open(struct output_file *file, const char *path, bool with_keeper,
		     struct error *error)
{
	int descriptor = -1;
	int result;

	*file = (struct output_file){.directory = -1, .keeper_pipe = -1, .keeper_pid = -1};
	file->path = strdup(path);
	if (file->path == NULL)
		return error_set_system(error, ENOMEM, "cannot prepare %s", path);
	result = open_target(file, &descriptor, error);
	if (result == 0) {
		file->stream = fdopen(descriptor, "w");
		if (file->stream == NULL)
			result = error_set_system(error, errno, "cannot prepare %s", path);
	}
	if (file->stream == NULL && descriptor >= 0)
		(void)close(descriptor);
	if (result == 0 && with_keeper && file->temporary != NULL)
		result = keeper_start(file, error);
	if (result < 0)
		output_file_abandon(file);
	return result;
}

/* Writes out what is buffered and closes the stream: 0, or the errno of what failed. */
static int close_stream(struct output_file *file)
{
	bool failed = ferror(file->stream) != 0;
	int failure = 0;

	errno = 0;
	if (fclose(file->stream) != 0)
		failure = errno;
	file->stream = NULL;
	return failed && failure == 0 ? EIO : failure;
}

/* Gives the file its name: 0, an errno, or -1 if the keeper that should do it is gone. */
static int rename_file(const struct output_file *file)
{
	const char order = COMMIT_BYTE;

	if (file->temporary == NULL)
		return 0;
	if (file->keeper_pid < 0)
		return renameat(file->directory, file->temporary, file->directory,
				base_name(file->path)) == 0
			       ? 0
			       : errno;
	if (send(file->keeper_pipe, &order, 1, MSG_NOSIGNAL) != 1)
		return -1;
	return keeper_answer(file);
}

int output_file_commit(struct output_file *file, struct error *error)
{
	int failure = close_stream(file);
	int result = 0;

	if (failure != 0) {
		result = error_set_system(error, failure, "cannot write %s", file->path);
	} else {
		failure = rename_file(file);
		if (failure > 0)
			result = error_set_system(error, failure, "cannot give a file the name %s",
						  file->path);
		if (failure < 0)
			result = error_set(error, ERROR_SYSTEM,
					   "the keeper of %s is gone: the output is in %s there",
					   file->path, file->temporary);
		/* It has its name, or must be kept for the caller to find. */
		if (failure <= 0) {
			free(file->temporary);
			file->temporary = NULL;
		}
	}
	output_file_abandon(file);
	return result;
}

void output_file_abandon(struct output_file *file)
{
	if (file->path == NULL)
		return;
	/* The keeper removes the file when the socket closes; without one it is done here. */
	keeper_end(file);
	if (file->temporary != NULL)
		(void)unlinkat(file->directory, file->temporary, 0);
	forget(file);
}
