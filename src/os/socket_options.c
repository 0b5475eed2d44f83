/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Socket options, in the order in which they are put on: first what decides which packets arrive
 * (filter, buffer), then how ours leave, then what the kernel tells us about both. The constants
 * come from the kernel's headers where the C library's are older; linux/icmp.h is one of them
 * and clashes with net/if.h, which therefore must not be included here.
 */
#include "os/socket_options.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <linux/icmp.h>
#include <linux/in6.h>
#include <linux/net_tstamp.h>
#include <linux/sock_diag.h>
#include <netinet/icmp6.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "os/hardware_stamps.h"
#include "os/socket_filter.h"
#include "os/socket_options_internal.h"

/* Errors that may lie on the error queue, which shares the receive buffer, at any time. */
#define QUEUED_ERRORS 64u
#define QUEUED_ERROR_BYTES 2304u
/*
 * Send stamps that may lie there: of packets that are sent between two looks at it, up to three
 * each. Measured: 832 bytes a stamp that comes without its packet.
 */
#define STAMPED_PACKETS 1024u
#define QUEUED_STAMP_BYTES 3072u

/* SOF_TIMESTAMPING_OPT_RX_FILTER, which older headers do not have. */
#define OPT_RX_FILTER (1u << 17)

#define DRAIN_MAX 100000u /* more than any buffer holds: an end in case packets keep coming */

/* ---- which packets arrive ---- */

static void drain(int descriptor)
{
	char byte;

	for (unsigned i = 0; i < DRAIN_MAX; i++) {
		if (recv(descriptor, &byte, sizeof(byte), MSG_DONTWAIT | MSG_TRUNC) < 0 &&
		    (errno == EAGAIN || errno == EBADF))
			return;
	}
}

static int set_type_filter(int descriptor, uint8_t family)
{
	if (family == 4) {
		struct icmp_filter blocked = {
			.data = ~(1U << ICMP_ECHOREPLY | 1U << ICMP_DEST_UNREACH |
				  1U << ICMP_SOURCE_QUENCH | 1U << ICMP_REDIRECT |
				  1U << ICMP_TIME_EXCEEDED | 1U << ICMP_PARAMETERPROB),
		};

		return setsockopt(descriptor, SOL_RAW, ICMP_FILTER, &blocked, sizeof(blocked));
	}
	struct icmp6_filter blocked;

	ICMP6_FILTER_SETBLOCKALL(&blocked);
	ICMP6_FILTER_SETPASS(ICMP6_ECHO_REPLY, &blocked);
	ICMP6_FILTER_SETPASS(ICMP6_DST_UNREACH, &blocked);
	ICMP6_FILTER_SETPASS(ICMP6_PACKET_TOO_BIG, &blocked);
	ICMP6_FILTER_SETPASS(ICMP6_TIME_EXCEEDED, &blocked);
	ICMP6_FILTER_SETPASS(ICMP6_PARAM_PROB, &blocked);
	return setsockopt(descriptor, IPPROTO_ICMPV6, ICMP6_FILTER, &blocked, sizeof(blocked));
}

int socket_options_attach(int descriptor, struct socket_filter *filter, struct error *error)
{
	const struct sock_fprog program = {.len = filter->count, .filter = filter->instructions};

	if (setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) != 0)
		return error_set_system(error, errno, "cannot set the packet filter");
	return 0;
}

/*
 * The type filter stands before the kernel's copy of a packet and is all but free; the program
 * then sees only what could be ours. Both are on before the queue is emptied, so that nothing of
 * others can be left in it; the lock keeps them on whatever happens to this process later.
 */
static int set_filter(int descriptor, const struct transport_settings *settings,
		      struct error *error)
{
	struct socket_filter filter;
	int result;

	if (set_type_filter(descriptor, settings->family) != 0)
		return error_set_system(error, errno, "cannot set the filter of ICMP types");
	if (settings->family == 4)
		socket_filter_build_icmp4(&filter, settings->identifier);
	else
		socket_filter_build_icmp6(&filter, settings->identifier);
	result = socket_options_attach(descriptor, &filter, error);
	if (result < 0)
		return result;
	drain(descriptor);
	result = socket_options_set(descriptor, SOL_SOCKET, SO_LOCK_FILTER, 1);
	return result < 0 ? socket_options_failed(error, result, "the lock on the packet filter")
			  : 0;
}

/* ---- buffers ---- */

uint64_t socket_options_true_size(uint32_t packet_bytes)
{
	/*
	 * Measured per datagram: 832 bytes for 56 on a software device, 12,530 for 8,000 in 6
	 * fragments, under 102,500 for 65,507 in 45. Hardware drivers take 2,304 for the smallest.
	 */
	return 2304 + (uint64_t)packet_bytes * 153 / 100;
}

static uint32_t buffer_size(int descriptor, int option)
{
	int value = 0;
	socklen_t length = sizeof(value);

	if (getsockopt(descriptor, SOL_SOCKET, option, &value, &length) != 0 || value < 0)
		return 0;
	return (uint32_t)value;
}

/*
 * Makes a buffer at least `wanted` bytes large if the kernel allows it (it doubles what it is
 * given), and never smaller: a buffer that was forced beyond the limit while there was the right to
 * do so would shrink back to the limit. So a socket of no use shows first what would be granted.
 */
static void grow_buffer(int descriptor, int option, uint64_t wanted)
{
	int half = (int)min_u64((wanted + 1) / 2, INT_MAX / 2);
	int probe;

	if (buffer_size(descriptor, option) >= wanted)
		return;
	probe = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (probe < 0)
		return;
	if (socket_options_set(probe, SOL_SOCKET, option, half) == 0 &&
	    buffer_size(probe, option) > buffer_size(descriptor, option))
		(void)socket_options_set(descriptor, SOL_SOCKET, option, half);
	(void)close(probe);
}

/* Room for errors in the queue, beside the replies. */
static uint64_t error_bytes(uint32_t outstanding)
{
	return min_u64(max_u64(outstanding, 1), QUEUED_ERRORS) * QUEUED_ERROR_BYTES;
}

/*
 * Packets whose stamps may be there. How many requests ask for them depends on the rate, which more
 * targets can only raise: for one target it is the most.
 */
static uint32_t stamped_packets(const struct configuration *configuration, uint32_t outstanding)
{
	uint32_t every = configuration_stamp_every(configuration, 1);

	if (every == 0)
		return 0;
	return (uint32_t)min_u64(outstanding / every + 1, STAMPED_PACKETS);
}

/* Room for what is no reply. */
static uint64_t other_bytes(const struct configuration *configuration, uint32_t outstanding)
{
	return error_bytes(outstanding) +
	       (uint64_t)stamped_packets(configuration, outstanding) * QUEUED_STAMP_BYTES;
}

uint64_t socket_options_buffer_bytes(const struct configuration *configuration,
				     uint32_t packet_bytes, uint32_t outstanding)
{
	return socket_options_true_size(packet_bytes) * max_u64(outstanding, 1) +
	       other_bytes(configuration, outstanding);
}

static int set_buffers(int descriptor, const struct transport_settings *settings,
		       struct socket_grants *grants, struct error *error)
{
	uint32_t asked = settings->configuration->send_buffer_bytes;
	uint64_t one = socket_options_true_size(settings->packet_bytes);
	uint64_t outstanding = max_u64(settings->outstanding, 1);
	uint64_t all = one * outstanding;
	uint64_t others = other_bytes(settings->configuration, settings->outstanding);

	grants->stamped_packets = stamped_packets(settings->configuration, settings->outstanding);
	grow_buffer(descriptor, SO_RCVBUF, all + others);
	grants->receive_buffer_bytes = buffer_size(descriptor, SO_RCVBUF);
	/* The kernel takes one more while there is any room left: hence one less. */
	grants->receive_buffer_is_enough = grants->receive_buffer_bytes >= all + others - one;
	grants->receive_buffer_holds = 1;
	if (grants->receive_buffer_bytes > others)
		grants->receive_buffer_holds =
			(uint32_t)((grants->receive_buffer_bytes - others) / one) + 1;
	if (asked > 0) {
		int result = socket_options_set(descriptor, SOL_SOCKET, SO_SNDBUF,
						(int)min_u64(asked, INT_MAX / 2));

		return result < 0 ? socket_options_failed(error, result, "the send buffer (-S)")
				  : 0;
	}
	grow_buffer(descriptor, SO_SNDBUF, all);
	return 0;
}

/* ---- what the kernel tells ---- */

/*
 * IP_RECVERR also makes send report what a full local queue drops; without it such sends succeed
 * and their packets count as lost on the network. The TTL of an IPv4 raw socket's packets
 * stands in their IP header.
 */
static int set_messages(int descriptor, const struct transport_settings *settings, bool is_raw,
			struct error *error)
{
	bool stamps = settings->configuration->stamps != STAMPS_USER;
	bool is_ip4 = settings->family == 4;
	const struct socket_option options[] = {
		{stamps, SOL_SOCKET, SO_TIMESTAMPNS, 1, "receive stamps (--stamps)"},
		{true, SOL_SOCKET, SO_RXQ_OVFL, 1, "the count of dropped packets"},
		{is_ip4, IPPROTO_IP, IP_RECVERR, 1, "the error queue"},
		{is_ip4 && !is_raw, IPPROTO_IP, IP_RECVTTL, 1, "reporting of the time to live"},
		{is_ip4, IPPROTO_IP, IP_RECVFRAGSIZE, 1, "reporting of fragments"},
		{!is_ip4, IPPROTO_IPV6, IPV6_RECVERR, 1, "the error queue"},
		{!is_ip4, IPPROTO_IPV6, IPV6_RECVHOPLIMIT, 1, "reporting of the hop limit"},
		{!is_ip4, IPPROTO_IPV6, IPV6_RECVFRAGSIZE, 1, "reporting of fragments"},
	};

	return socket_options_set_all(descriptor, options, ARRAY_LENGTH(options), error);
}

/*
 * Send stamps come with the error queue, without the packet (OPT_TSONLY) and with a number
 * (OPT_ID). No packet is stamped by these flags: each asks for itself. They also turn on a second
 * control message with every received packet, unless the kernel knows OPT_RX_FILTER (6.12). With
 * hardware stamps the driver's is kept beside them (OPT_TX_SWHW). What packets may ask for then;
 * nothing where the kernel refuses, which is no error.
 */
static uint32_t set_send_stamps(int descriptor, const struct transport_settings *settings)
{
	uint32_t wishes = SOF_TIMESTAMPING_TX_SCHED | SOF_TIMESTAMPING_TX_SOFTWARE;
	uint32_t flags = SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_OPT_ID |
			 SOF_TIMESTAMPING_OPT_TSONLY;

	if (settings->configuration->stamps != STAMPS_SPLIT || settings->real_time == NULL)
		return 0;
	if (hardware_stamps_are_on(settings->device)) {
		flags |= SOF_TIMESTAMPING_RX_HARDWARE | SOF_TIMESTAMPING_RAW_HARDWARE |
			 SOF_TIMESTAMPING_OPT_TX_SWHW;
		wishes |= SOF_TIMESTAMPING_TX_HARDWARE;
	}
	if (socket_options_set(descriptor, SOL_SOCKET, SO_TIMESTAMPING,
			       (int)(flags | OPT_RX_FILTER)) == 0 ||
	    socket_options_set(descriptor, SOL_SOCKET, SO_TIMESTAMPING, (int)flags) == 0)
		return wishes;
	return 0;
}

int socket_options_apply(int descriptor, const struct transport_settings *settings, bool is_raw,
			 struct socket_grants *grants, struct error *error)
{
	int result = socket_options_bind_device(descriptor, settings, error);

	if (result == 0)
		result = set_buffers(descriptor, settings, grants, error);
	if (result == 0 && settings->family == 4)
		result = socket_options_set_sending4(descriptor, settings, error);
	else if (result == 0)
		result = socket_options_set_sending6(descriptor, settings, error);
	if (result == 0)
		result = set_messages(descriptor, settings, is_raw, error);
	if (result == 0)
		grants->send_stamps = set_send_stamps(descriptor, settings);
	if (result == 0 && is_raw)
		result = set_filter(descriptor, settings, error);
	return result;
}

bool socket_options_drops(int descriptor, uint32_t *drops)
{
	uint32_t values[SK_MEMINFO_VARS];
	socklen_t length = sizeof(values);

	if (getsockopt(descriptor, SOL_SOCKET, SO_MEMINFO, values, &length) != 0 ||
	    length < (SK_MEMINFO_DROPS + 1) * sizeof(values[0]))
		return false;
	*drops = values[SK_MEMINFO_DROPS];
	return true;
}
