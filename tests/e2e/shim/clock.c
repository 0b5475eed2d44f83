/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A real-time clock that is set while a program runs, for that program alone: a library for
 * LD_PRELOAD. The clock of the host is never touched.
 *
 *     CLOCK_STEPS=AT_MS:STEP_MS[,AT_MS:STEP_MS...]
 *
 * At AT_MS after the start of the program the clock jumps by STEP_MS (signed), and stays there.
 * What a program can see of it is what the kernel would show:
 *
 *   clock_gettime(CLOCK_REALTIME) and gettimeofday() jump;
 *   the stamps in the control messages of recvmsg() and recvmmsg(), also on the error queue
 *   (SCM_TIMESTAMP, SCM_TIMESTAMPNS, the software stamp of SCM_TIMESTAMPING), jump with the moment
 *   at which the kernel took them: one from before the step that is read after it is still old;
 *   a timerfd armed with TFD_TIMER_CANCEL_ON_SET becomes readable at the step, and read() fails
 *   with ECANCELED once. To that end it is really armed for the moment of the step, so that every
 *   way of waiting for it works.
 *
 * Everything is decided by the unaltered real time of the host: start + AT_MS. Programs with more
 * than one thread are not provided for.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define STEPS_MAX 16
#define DESCRIPTORS_MAX 256
#define NS_PER_S 1000000000
#define NS_PER_MS 1000000

/* The numbers of the messages with 64-bit times, which older headers do not have. */
#define TIMESTAMP_NEW 63
#define TIMESTAMPNS_NEW 64
#define TIMESTAMPING_NEW 65

static struct {
	int64_t at_ns; /* real time of the host */
	int64_t by_ns;
} steps[STEPS_MAX];
static int step_count;

/* By descriptor: what the program asked of a timer that is to be cancelled by a step. */
static struct {
	bool is_watched;
	int flags;
	struct itimerspec asked;
} timers[DESCRIPTORS_MAX];

static int (*next_clock_gettime)(clockid_t, struct timespec *);

static int64_t nanoseconds(const struct timespec *time)
{
	return (int64_t)time->tv_sec * NS_PER_S + time->tv_nsec;
}

static struct timespec to_timespec(int64_t ns)
{
	return (struct timespec){
		.tv_sec = (time_t)(ns / NS_PER_S),
		.tv_nsec = (long)(ns % NS_PER_S),
	};
}

static int64_t host_ns(void)
{
	struct timespec now = {0};

	(void)next_clock_gettime(CLOCK_REALTIME, &now);
	return nanoseconds(&now);
}

__attribute__((constructor)) static void start(void)
{
	const char *text = getenv("CLOCK_STEPS");
	void *symbol = dlsym(RTLD_NEXT, "clock_gettime");

	memcpy(&next_clock_gettime, &symbol, sizeof(symbol));
	if (next_clock_gettime == NULL) {
		fprintf(stderr, "clock shim: no clock_gettime to stand before\n");
		abort();
	}
	while (text != NULL && *text != '\0' && step_count < STEPS_MAX) {
		char *end;

		steps[step_count].at_ns = host_ns() + strtoll(text, &end, 10) * NS_PER_MS;
		if (*end != ':') {
			fprintf(stderr, "clock shim: CLOCK_STEPS=AT_MS:STEP_MS[,...]\n");
			abort();
		}
		steps[step_count++].by_ns = strtoll(end + 1, &end, 10) * NS_PER_MS;
		text = *end == ',' ? end + 1 : NULL;
	}
}

/* What a clock that is set at the steps shows when that of the host shows this. */
static int64_t stepped(int64_t ns)
{
	int64_t by_ns = 0;

	for (int i = 0; i < step_count; i++)
		if (ns >= steps[i].at_ns)
			by_ns += steps[i].by_ns;
	return ns + by_ns;
}

static void step_timespec(void *place)
{
	struct timespec time;

	memcpy(&time, place, sizeof(time));
	if (time.tv_sec == 0 && time.tv_nsec == 0) /* there is none */
		return;
	time = to_timespec(stepped(nanoseconds(&time)));
	memcpy(place, &time, sizeof(time));
}

int clock_gettime(clockid_t id, struct timespec *time)
{
	int status = next_clock_gettime(id, time);

	if (status == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
		step_timespec(time);
	return status;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
	struct timespec now;

	(void)zone;
	if (clock_gettime(CLOCK_REALTIME, &now) < 0)
		return -1;
	time->tv_sec = now.tv_sec;
	time->tv_usec = now.tv_nsec / 1000;
	return 0;
}

static void step_stamps(struct msghdr *message)
{
	for (struct cmsghdr *at = CMSG_FIRSTHDR(message); at != NULL;
	     at = CMSG_NXTHDR(message, at)) {
		struct timeval time;
		struct timespec precise;

		if (at->cmsg_level != SOL_SOCKET)
			continue;
		switch (at->cmsg_type) {
		case SCM_TIMESTAMPNS:
		case SCM_TIMESTAMPING: /* the first of three is the kernel's */
		case TIMESTAMPNS_NEW:
		case TIMESTAMPING_NEW:
			step_timespec(CMSG_DATA(at));
			break;
		case SCM_TIMESTAMP:
		case TIMESTAMP_NEW:
			memcpy(&time, CMSG_DATA(at), sizeof(time));
			precise = to_timespec(stepped((int64_t)time.tv_sec * NS_PER_S +
						      (int64_t)time.tv_usec * 1000));
			time.tv_sec = precise.tv_sec;
			time.tv_usec = precise.tv_nsec / 1000;
			memcpy(CMSG_DATA(at), &time, sizeof(time));
			break;
		default:
			break;
		}
	}
}

ssize_t recvmsg(int descriptor, struct msghdr *message, int flags)
{
	ssize_t length = syscall(SYS_recvmsg, descriptor, message, flags);

	if (length >= 0)
		step_stamps(message);
	return length;
}

int recvmmsg(int descriptor, struct mmsghdr *messages, unsigned count, int flags,
	     struct timespec *timeout)
{
	int received = (int)syscall(SYS_recvmmsg, descriptor, messages, count, flags, timeout);

	for (int i = 0; i < received; i++)
		step_stamps(&messages[i].msg_hdr);
	return received;
}

/* Arms a watched timer for the next step, or as the program asked if none is to come. */
static int arm(int descriptor)
{
	int64_t now_ns = host_ns();
	int64_t at_ns = INT64_MAX;
	struct itimerspec armed = timers[descriptor].asked;

	for (int i = 0; i < step_count; i++)
		if (steps[i].at_ns > now_ns && steps[i].at_ns < at_ns)
			at_ns = steps[i].at_ns;
	if (at_ns != INT64_MAX)
		armed = (struct itimerspec){.it_value = to_timespec(at_ns)};
	return (int)syscall(SYS_timerfd_settime, descriptor, timers[descriptor].flags, &armed,
			    NULL);
}

int timerfd_settime(int descriptor, int flags, const struct itimerspec *asked,
		    struct itimerspec *old)
{
	if (descriptor < 0 || descriptor >= DESCRIPTORS_MAX ||
	    (flags & TFD_TIMER_CANCEL_ON_SET) == 0)
		return (int)syscall(SYS_timerfd_settime, descriptor, flags, asked, old);
	timers[descriptor].is_watched = true;
	timers[descriptor].flags = flags;
	timers[descriptor].asked = *asked;
	if (old != NULL)
		memset(old, 0, sizeof(*old));
	return arm(descriptor);
}

ssize_t read(int descriptor, void *bytes, size_t length)
{
	ssize_t count = syscall(SYS_read, descriptor, bytes, length);

	if (count <= 0 || descriptor < 0 || descriptor >= DESCRIPTORS_MAX ||
	    !timers[descriptor].is_watched)
		return count;
	(void)arm(descriptor);
	errno = ECANCELED;
	return -1;
}

/* What read() becomes where the size of the buffer is known to the compiler. */
ssize_t __read_chk(int descriptor, void *bytes, size_t length, size_t room);
ssize_t __read_chk(int descriptor, void *bytes, size_t length, size_t room)
{
	if (length > room)
		abort();
	return read(descriptor, bytes, length);
}

int close(int descriptor)
{
	if (descriptor >= 0 && descriptor < DESCRIPTORS_MAX)
		timers[descriptor].is_watched = false;
	return (int)syscall(SYS_close, descriptor);
}
