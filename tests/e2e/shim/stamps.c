/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A driver that does not stamp what it sends, or not always: a library for LD_PRELOAD.
 *
 *     LOSE_STAMPS=N
 *
 * Every N-th send stamp of the driver (SCM_TSTAMP_SND) that comes off an error queue loses its time
 * and the number of its packet, so that nobody can know what it was for; the others, and those of
 * the queue (SCM_TSTAMP_SCHED), stay as they are. How many it took is written to standard error at
 * the end.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/errqueue.h> /* needs struct timespec */

#define TIMESTAMPING_NEW 65

static uint64_t every, seen, taken;

__attribute__((constructor)) static void start(void)
{
	const char *text = getenv("LOSE_STAMPS");

	every = text != NULL ? strtoull(text, NULL, 10) : 0;
}

__attribute__((destructor)) static void finish(void)
{
	if (every != 0 && seen != 0)
		fprintf(stderr, "lost %llu of %llu send stamps\n", (unsigned long long)taken,
			(unsigned long long)seen);
}

static void lose_stamp(struct msghdr *message)
{
	struct cmsghdr *stamp = NULL, *error = NULL;
	struct sock_extended_err described;

	for (struct cmsghdr *at = CMSG_FIRSTHDR(message); at != NULL;
	     at = CMSG_NXTHDR(message, at))
		if (at->cmsg_level == SOL_SOCKET &&
		    (at->cmsg_type == SCM_TIMESTAMPING || at->cmsg_type == TIMESTAMPING_NEW))
			stamp = at;
		else if (at->cmsg_level != SOL_SOCKET &&
			 at->cmsg_len >= CMSG_LEN(sizeof(described)))
			error = at;
	if (stamp == NULL || error == NULL)
		return;
	memcpy(&described, CMSG_DATA(error), sizeof(described));
	if (described.ee_origin != SO_EE_ORIGIN_TIMESTAMPING ||
	    described.ee_info != SCM_TSTAMP_SND || ++seen % every != 0)
		return;
	taken++;
	described.ee_data ^= 0x80000000u;
	memcpy(CMSG_DATA(error), &described, sizeof(described));
	memset(CMSG_DATA(stamp), 0, 3 * sizeof(struct timespec));
}

ssize_t recvmsg(int descriptor, struct msghdr *message, int flags)
{
	ssize_t length = syscall(SYS_recvmsg, descriptor, message, flags);

	if (length >= 0 && every != 0 && (flags & MSG_ERRQUEUE) != 0)
		lose_stamp(message);
	return length;
}

int recvmmsg(int descriptor, struct mmsghdr *messages, unsigned count, int flags,
	     struct timespec *timeout)
{
	int received = (int)syscall(SYS_recvmmsg, descriptor, messages, count, flags, timeout);

	for (int i = 0; i < received && every != 0 && (flags & MSG_ERRQUEUE) != 0; i++)
		lose_stamp(&messages[i].msg_hdr);
	return received;
}
