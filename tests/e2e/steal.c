/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tries what another process of the same user could try against a running probe: to take its
 * sockets, to trace it, to read and write its memory, to reach into its descriptors. Prints a
 * line for each attempt and exits with the number of those that worked.
 *
 * usage: steal PID
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#define DESCRIPTORS 32

static int worked;

static void tell(const char *attempt, bool success)
{
	printf("%s: %s\n", attempt, success ? "WORKED" : strerror(errno));
	worked += success;
}

/* Takes copies of its descriptors, the way a thief would get at a raw socket. */
static void take_descriptors(pid_t process)
{
	int handle = (int)syscall(SYS_pidfd_open, process, 0);
	int taken = -1;

	if (handle < 0) {
		tell("pidfd_open", false);
		return;
	}
	for (int number = 0; number < DESCRIPTORS && taken < 0; number++)
		taken = (int)syscall(SYS_pidfd_getfd, handle, number, 0);
	tell("pidfd_getfd", taken >= 0);
}

static void trace(pid_t process)
{
	bool attached = ptrace(PTRACE_ATTACH, process, NULL, NULL) == 0;

	tell("ptrace", attached);
	if (attached && waitpid(process, NULL, 0) == process)
		(void)ptrace(PTRACE_DETACH, process, NULL, NULL);
}

static void open_file(pid_t process, const char *name, int flags)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)process, name);
	tell(name, open(path, flags | O_CLOEXEC) >= 0);
}

int main(int argc, char **argv)
{
	pid_t process = argc == 2 ? (pid_t)atoi(argv[1]) : 0;

	if (process <= 0) {
		(void)fprintf(stderr, "usage: steal PID\n");
		return 125;
	}
	take_descriptors(process);
	trace(process);
	open_file(process, "mem", O_RDWR);
	open_file(process, "maps", O_RDONLY);
	open_file(process, "environ", O_RDONLY);
	open_file(process, "fd", O_RDONLY | O_DIRECTORY);
	return worked;
}
