/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ping row: a datagram ICMP socket (Linux, net.ipv4.ping_group_range). No privilege is needed
 * where root has opened it, only echo requests can be sent, and the kernel chooses the identifier,
 * sorts by it, makes and verifies the checksums. ICMP errors come by the error queue only.
 */
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "os/transport_socket.h"

static unsigned ping_flags(uint8_t family)
{
	(void)family;
	return TRANSPORT_VERIFIES_CHECKSUM | TRANSPORT_QUEUES_ERRORS;
}

static int refused(uint8_t family, int system_errno, struct error *error)
{
	if (system_errno != EACCES && system_errno != EPERM)
		return error_set_system(error, system_errno, "cannot open an IPv%d ping socket",
					family);
	(void)error_set(error, ERROR_PERMISSION,
			"this user may not open ping sockets: either install fping-bench with "
			"CAP_NET_RAW (setcap cap_net_raw=p), or let root open them with "
			"sysctl -w net.ipv4.ping_group_range=\"0 2147483647\"");
	error->system_errno = system_errno;
	return -ERROR_PERMISSION;
}

static int ping_open(struct transport *transport, const struct transport_settings *settings,
		     int descriptor, struct error *error)
{
	int32_t asked = settings->configuration->identifier;
	int own;

	(void)descriptor; /* -1: this row opens its own */
	if (asked == 0)
		return error_set(error, ERROR_UNSUPPORTED,
				 "a ping socket cannot have the identifier 0 (-e)");
	own = settings->family == 4
		      ? socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_ICMP)
		      : socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_ICMPV6);
	if (own < 0)
		return refused(settings->family, errno, error);
	return transport_socket_open(transport, settings, own, false,
				     asked > 0 ? (uint16_t)asked : 0, error);
}

const struct transport_row transport_ping = {
	.name = "ping",
	.summary = "ping socket (needs net.ipv4.ping_group_range opened by root)",
	.flags = ping_flags,
	.open = ping_open,
	.add_destination = transport_socket_add_destination,
	.send = transport_socket_send,
	.receive = transport_socket_receive,
	.receive_error = transport_socket_receive_error,
	.receive_stamps = transport_socket_receive_stamps,
	.descriptor = transport_socket_descriptor,
	.drops = transport_socket_drops,
	.close = transport_socket_close,
};
