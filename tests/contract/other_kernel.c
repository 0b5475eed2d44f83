/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stands before the C library's functions of the same names: what the transports call ends here,
 * and goes on to the kernel as a plain system call.
 */
#include "contract/other_kernel.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/errqueue.h> /* after time.h, which it needs and does not include */
#include <linux/ethtool.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <net/if.h>

#define OPT_RX_FILTER (1 << 17)
#define SCM_ID 81 /* SCM_TS_OPT_ID */

struct other_kernel other_kernel;

int setsockopt(int descriptor, int level, int name, const void *value, socklen_t length)
{
	int number = 0;

	memcpy(&number, value, length < sizeof(number) ? length : sizeof(number));
	if (level == SOL_SOCKET && name == SO_TIMESTAMPING &&
	    (other_kernel.lacks_stamps ||
	     (other_kernel.lacks_filter && (number & OPT_RX_FILTER) != 0))) {
		errno = EINVAL;
		return -1;
	}
	return (int)syscall(SYS_setsockopt, descriptor, level, name, value, length);
}

/* ---- sending ---- */

static bool has_id(struct msghdr *header)
{
	for (struct cmsghdr *at = CMSG_FIRSTHDR(header); at != NULL; at = CMSG_NXTHDR(header, at)) {
		if (at->cmsg_level == SOL_SOCKET && at->cmsg_type == SCM_ID)
			return true;
	}
	return false;
}

static int refusal(struct msghdr *header, unsigned place)
{
	if (other_kernel.refuses_sends != 0 && place >= other_kernel.refuses_from)
		return other_kernel.refuses_sends;
	if (header->msg_controllen > 0 &&
	    (other_kernel.lacks_messages || (other_kernel.lacks_ids && has_id(header))))
		return EINVAL;
	return 0;
}

/* As the kernel does: up to the first that fails; its errno shows if nothing went before it. */
int sendmmsg(int descriptor, struct mmsghdr *headers, unsigned count, int flags)
{
	unsigned allowed = 0;

	for (; allowed < count; allowed++) {
		int failure = refusal(&headers[allowed].msg_hdr, allowed);

		if (failure != 0 && allowed == 0) {
			errno = failure;
			return -1;
		}
		if (failure != 0)
			break;
		other_kernel.stamped_sends += headers[allowed].msg_hdr.msg_controllen > 0;
	}
	return (int)syscall(SYS_sendmmsg, descriptor, headers, allowed, flags);
}

/* ---- hardware stamps ---- */

int ioctl(int descriptor, unsigned long request, ...)
{
	va_list arguments;
	struct ifreq *about;

	va_start(arguments, request);
	about = va_arg(arguments, struct ifreq *);
	va_end(arguments);
	if (!other_kernel.has_hardware || (request != SIOCETHTOOL && request != SIOCGHWTSTAMP))
		return (int)syscall(SYS_ioctl, descriptor, request, about);
	if (request == SIOCGHWTSTAMP) {
		const struct hwtstamp_config setting = {.tx_type = HWTSTAMP_TX_ON,
							.rx_filter = HWTSTAMP_FILTER_ALL};

		memcpy(about->ifr_data, &setting, sizeof(setting));
	} else {
		const struct ethtool_ts_info info = {.cmd = ETHTOOL_GET_TS_INFO, .phc_index = 3};

		memcpy(about->ifr_data, &info, sizeof(info));
	}
	return 0;
}

/* The stamps of a message with the hardware's put in; a message without any gets them. */
static void put_hardware(struct msghdr *header, size_t room)
{
	struct timespec stamps[3] = {{0}};
	struct cmsghdr *at = CMSG_FIRSTHDR(header);

	stamps[2].tv_sec = (time_t)(other_kernel.hardware_ns / NANOSECONDS_PER_SECOND);
	stamps[2].tv_nsec = (long)(other_kernel.hardware_ns % NANOSECONDS_PER_SECOND);
	while (at != NULL && (at->cmsg_level != SOL_SOCKET || at->cmsg_type != SO_TIMESTAMPING))
		at = CMSG_NXTHDR(header, at);
	if (at != NULL) {
		/* As on the error queue: the time of the reading stands in the first place. */
		memcpy(CMSG_DATA(at) + 2 * sizeof(stamps[0]), &stamps[2], sizeof(stamps[2]));
	} else if (header->msg_controllen + CMSG_SPACE(sizeof(stamps)) <= room) {
		at = (void *)((char *)header->msg_control + CMSG_ALIGN(header->msg_controllen));
		at->cmsg_level = SOL_SOCKET;
		at->cmsg_type = SO_TIMESTAMPING;
		at->cmsg_len = CMSG_LEN(sizeof(stamps));
		memcpy(CMSG_DATA(at), stamps, sizeof(stamps));
		header->msg_controllen =
			CMSG_ALIGN(header->msg_controllen) + CMSG_SPACE(sizeof(stamps));
	}
}

/* Whether an entry of the error queue tells that the driver has sent the packet. */
static bool is_sent(struct msghdr *header)
{
	for (struct cmsghdr *at = CMSG_FIRSTHDR(header); at != NULL; at = CMSG_NXTHDR(header, at)) {
		struct sock_extended_err entry;

		if (at->cmsg_level == SOL_SOCKET)
			continue;
		memcpy(&entry, CMSG_DATA(at), sizeof(entry));
		if (at->cmsg_len >= CMSG_LEN(sizeof(entry)) &&
		    entry.ee_origin == SO_EE_ORIGIN_TIMESTAMPING)
			return entry.ee_info == SCM_TSTAMP_SND;
	}
	return false;
}

int recvmmsg(int descriptor, struct mmsghdr *headers, unsigned count, int flags,
	     struct timespec *timeout)
{
	size_t room = headers[0].msg_hdr.msg_controllen;
	int received =
		(int)syscall(SYS_recvmmsg, descriptor, headers, count, (unsigned)flags, timeout);

	for (int i = 0; other_kernel.has_hardware && i < received; i++) {
		if ((flags & MSG_ERRQUEUE) == 0 || is_sent(&headers[i].msg_hdr))
			put_hardware(&headers[i].msg_hdr, room);
	}
	return received;
}
