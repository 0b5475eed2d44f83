/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel that promises a large receive buffer and gives a small one: a library for LD_PRELOAD.
 *
 *     RECEIVE_BUFFER=BYTES
 *
 * Whatever is asked for by SO_RCVBUF and SO_RCVBUFFORCE, the socket gets BYTES (as the kernel
 * counts
 * them), and getsockopt tells that it has all that was asked for. A program that believes it sends
 * more than its socket can take in, and must find out by itself.
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static int (*next_setsockopt)(int, int, int, const void *, socklen_t);
static int (*next_getsockopt)(int, int, int, void *, socklen_t *);
static int given_bytes;

__attribute__((constructor)) static void begin(void)
{
	const char *bytes = getenv("RECEIVE_BUFFER");
	void *next = dlsym(RTLD_NEXT, "setsockopt");

	memcpy(&next_setsockopt, &next, sizeof(next));
	next = dlsym(RTLD_NEXT, "getsockopt");
	memcpy(&next_getsockopt, &next, sizeof(next));
	given_bytes = bytes == NULL ? 0 : atoi(bytes);
}

int setsockopt(int descriptor, int level, int name, const void *value, socklen_t length)
{
	int half = given_bytes / 2; /* the kernel doubles it */

	if (given_bytes > 0 && level == SOL_SOCKET && (name == SO_RCVBUF || name == SO_RCVBUFFORCE))
		return next_setsockopt(descriptor, level, SO_RCVBUF, &half, sizeof(half));
	return next_setsockopt(descriptor, level, name, value, length);
}

int getsockopt(int descriptor, int level, int name, void *restrict value,
	       socklen_t *restrict length)
{
	int told = INT_MAX / 2;

	if (given_bytes == 0 || level != SOL_SOCKET || name != SO_RCVBUF ||
	    *length < (socklen_t)sizeof(told))
		return next_getsockopt(descriptor, level, name, value, length);
	memcpy(value, &told, sizeof(told));
	*length = sizeof(told);
	return 0;
}
