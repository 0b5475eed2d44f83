/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The raw row: an ICMP socket that was opened while there was the right to do so. It sees every
 * ICMP packet of the host, so a filter in the kernel picks ours (socket_filter.c); it gets ICMP
 * errors as packets, with as much of the quote as the other host sent; and IPv4 checksums are
 * ours to make and to verify.
 */
#include <unistd.h>

#include "os/transport_socket.h"

static unsigned raw_flags(uint8_t family)
{
	return TRANSPORT_NEEDS_PRIVILEGE |
	       (family == 4 ? TRANSPORT_HAS_IP_HEADER : TRANSPORT_VERIFIES_CHECKSUM);
}

static int raw_open(struct transport *transport, const struct transport_settings *settings,
		    int descriptor, struct error *error)
{
	int status;

	if (descriptor < 0)
		return error_set(error, ERROR_PERMISSION, "there is no raw socket for IPv%d",
				 settings->family);
	status = transport_socket_open(transport, settings, descriptor, true, 0, error);
	if (!settings->has_fragments)
		return status;
	if (status < 0) {
		(void)close(settings->fragments);
		if (settings->whole >= 0)
			(void)close(settings->whole);
		return status;
	}
	return transport_socket_open_fragments(transport, settings, error);
}

const struct transport_row transport_raw = {
	.name = "raw",
	.summary = "raw ICMP socket (needs CAP_NET_RAW)",
	.flags = raw_flags,
	.open = raw_open,
	.add_destination = transport_socket_add_destination,
	.send = transport_socket_send,
	.receive = transport_socket_receive,
	.receive_error = transport_socket_receive_error,
	.receive_stamps = transport_socket_receive_stamps,
	.descriptor = transport_socket_descriptor,
	.drops = transport_socket_drops,
	.close = transport_socket_close,
};
