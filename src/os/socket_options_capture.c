/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options of the packet socket that fragments are captured with. It is not bound when they are put
 * on, so nothing is in it that the filter has not seen.
 */
#include <linux/if_packet.h>
#include <sys/socket.h>

#include "os/socket_options_internal.h"

#define BUFFER_BYTES (4 << 20) /* the kernel doubles them, and grants what rmem_max allows */

/* Where the buffer could not be forced (privilege_sockets_set_up), as much as anybody may have. */
static void enlarge_buffer(int descriptor)
{
	int granted = 0;
	socklen_t length = sizeof(granted);

	if (getsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &granted, &length) == 0 &&
	    granted < BUFFER_BYTES)
		(void)socket_options_set(descriptor, SOL_SOCKET, SO_RCVBUF, BUFFER_BYTES);
}

int socket_options_apply_capture(int descriptor, uint32_t kept, struct error *error)
{
	const struct socket_option options[] = {
		{true, SOL_SOCKET, SO_TIMESTAMPNS, 1, "stamps of captured packets"},
		{true, SOL_SOCKET, SO_LOCK_FILTER, 1, "the lock on the capture's filter"},
	};
	struct socket_filter filter;
	int status;

	socket_filter_build_fragments(&filter, kept);
	status = socket_options_attach(descriptor, &filter, error);
	if (status < 0)
		return status;
	enlarge_buffer(descriptor);
	return socket_options_set_all(descriptor, options, ARRAY_LENGTH(options), error);
}

bool socket_options_capture_drops(int descriptor, uint32_t *drops)
{
	struct tpacket_stats statistics;
	socklen_t length = sizeof(statistics);

	if (getsockopt(descriptor, SOL_PACKET, PACKET_STATISTICS, &statistics, &length) != 0)
		return false;
	*drops = statistics.tp_drops;
	return true;
}
