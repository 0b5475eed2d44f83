/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How packets leave a socket: the interface, what stands in their headers, and who may cut them.
 * The sockets that fragments made by hand leave by are set up here as well, since what stands in
 * the headers of a datagram must not depend on who cuts it.
 */
#include "os/socket_options_internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <linux/in6.h>
#include <string.h>
#include <sys/socket.h>

#define TIME_TO_LIVE 64u /* RFC 1700, and Linux where nobody has set another */

int socket_options_set(int descriptor, int level, int option, int value)
{
	return setsockopt(descriptor, level, option, &value, sizeof(value)) == 0 ? 0 : -errno;
}

int socket_options_failed(struct error *error, int result, const char *what)
{
	return error_set_system(error, -result, "cannot set %s", what);
}

int socket_options_set_all(int descriptor, const struct socket_option *options, size_t count,
			   struct error *error)
{
	for (size_t i = 0; i < count; i++) {
		int result;

		if (!options[i].wanted)
			continue;
		result = socket_options_set(descriptor, options[i].level, options[i].name,
					    options[i].value);
		if (result < 0)
			return socket_options_failed(error, result, options[i].what);
	}
	return 0;
}

/* ---- how our packets leave ---- */

/* Values of IP_MTU_DISCOVER; those of IPV6_MTU_DISCOVER are the same numbers. */
static int path_mtu_value(const struct transport_settings *settings)
{
	switch (settings->configuration->path_mtu) {
	case PATH_MTU_DO:
		return IP_PMTUDISC_DO;
	case PATH_MTU_WANT:
		return IP_PMTUDISC_WANT;
	case PATH_MTU_DONT:
		return IP_PMTUDISC_DONT;
	case PATH_MTU_PROBE:
		return IP_PMTUDISC_PROBE;
	case PATH_MTU_INTERFACE:
		return IP_PMTUDISC_INTERFACE;
	case PATH_MTU_OMIT:
		return IP_PMTUDISC_OMIT;
	case PATH_MTU_DEFAULT:
		break;
	}
	/*
	 * IPv4: fragments at the MTU of the device, no DF, blind to what was learned of the path.
	 * IPv6: routers do not fragment, so OMIT would have every packet refused behind a smaller
	 * link for ever; WANT fragments at the learned path MTU.
	 */
	return settings->family == 4 ? IP_PMTUDISC_OMIT : IP_PMTUDISC_WANT;
}

int socket_options_set_sending4(int descriptor, const struct transport_settings *settings,
				struct error *error)
{
	const struct configuration *asked = settings->configuration;
	const struct socket_option options[] = {
		{true, IPPROTO_IP, IP_MTU_DISCOVER, path_mtu_value(settings),
		 "the path MTU mode (-M)"},
		{asked->ttl > 0, IPPROTO_IP, IP_TTL, asked->ttl, "the time to live (-t)"},
		{asked->ttl > 0, IPPROTO_IP, IP_MULTICAST_TTL, asked->ttl, "the time to live (-t)"},
		{asked->traffic_class >= 0, IPPROTO_IP, IP_TOS, asked->traffic_class,
		 "the type of service (-Q)"},
		{asked->suppress_loopback, IPPROTO_IP, IP_MULTICAST_LOOP, 0, "the loop-back (-L)"},
		{settings->allow_broadcast, SOL_SOCKET, SO_BROADCAST, 1, "broadcast (-b)"},
	};

	return socket_options_set_all(descriptor, options, ARRAY_LENGTH(options), error);
}

int socket_options_set_sending6(int descriptor, const struct transport_settings *settings,
				struct error *error)
{
	const struct configuration *asked = settings->configuration;
	bool label = asked->flow_label >= 0;
	const struct socket_option options[] = {
		{true, IPPROTO_IPV6, IPV6_MTU_DISCOVER, path_mtu_value(settings),
		 "the path MTU mode (-M)"},
		{asked->ttl > 0, IPPROTO_IPV6, IPV6_UNICAST_HOPS, asked->ttl, "the hop limit (-t)"},
		{asked->ttl > 0, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, asked->ttl,
		 "the hop limit (-t)"},
		{asked->traffic_class >= 0, IPPROTO_IPV6, IPV6_TCLASS, asked->traffic_class,
		 "the traffic class (-Q)"},
		{asked->suppress_loopback, IPPROTO_IPV6, IPV6_MULTICAST_LOOP, 0,
		 "the loop-back (-L)"},
		/* No labels of the kernel's own, for -F 0; ours travel with the address. */
		{label, IPPROTO_IPV6, IPV6_AUTOFLOWLABEL, 0, "the flow label (-F)"},
		{label, IPPROTO_IPV6, IPV6_FLOWINFO_SEND, 1, "the flow label (-F)"},
	};

	return socket_options_set_all(descriptor, options, ARRAY_LENGTH(options), error);
}

int socket_options_bind_device(int descriptor, const struct transport_settings *settings,
			       struct error *error)
{
	const char *device = settings->device;

	if (device[0] == '\0')
		return 0;
	if (setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, device,
		       (socklen_t)strnlen(device, sizeof(settings->device))) == 0)
		return 0;
	if (errno == ENODEV)
		return error_set(error, ERROR_NOT_FOUND, "there is no interface '%.15s' (-I)",
				 device);
	return error_set_system(error, errno, "cannot bind to interface '%.15s' (-I)", device);
}

void socket_options_claim_flow_label(int descriptor, const uint8_t destination[static 16],
				     uint32_t label)
{
	struct in6_flowlabel_req request = {
		.flr_action = IPV6_FL_A_GET,
		.flr_share = IPV6_FL_S_ANY,
		.flr_flags = IPV6_FL_F_CREATE,
		.flr_label = htonl(label),
	};

	memcpy(&request.flr_dst, destination, 16);
	(void)setsockopt(descriptor, IPPROTO_IPV6, IPV6_FLOWLABEL_MGR, &request, sizeof(request));
}

/* ---- sockets for fragments made by hand ---- */

int socket_options_apply_fragments(int descriptor, const struct transport_settings *settings,
				   struct error *error)
{
	struct transport_settings unlearned = *settings;
	struct configuration configuration = *settings->configuration;
	bool is_ip4 = settings->family == 4;
	uint32_t send_buffer = configuration.send_buffer_bytes;
	const struct socket_option own[] = {
		{send_buffer > 0, SOL_SOCKET, SO_SNDBUF, (int)min_u64(send_buffer, INT_MAX / 2),
		 "the send buffer (-S)"},
		/* A host that tracks connections would join the pieces and cut them anew. */
		{is_ip4, IPPROTO_IP, IP_NODEFRAG, 1, "that fragments are left alone"},
		/* A piece that a full queue of this host drops is to be a failed send. */
		{is_ip4, IPPROTO_IP, IP_RECVERR, 1, "the error queue"},
	};
	int result;

	/* What was learned of the path is not to stop a packet that is sent to find out. */
	configuration.path_mtu = PATH_MTU_PROBE;
	unlearned.configuration = &configuration;
	result = socket_options_bind_device(descriptor, settings, error);
	if (result == 0)
		result = is_ip4 ? socket_options_set_sending4(descriptor, &unlearned, error)
				: socket_options_set_sending6(descriptor, &unlearned, error);
	return result < 0 ? result
			  : socket_options_set_all(descriptor, own, ARRAY_LENGTH(own), error);
}

uint8_t socket_options_time_to_live(int descriptor, bool is_multicast)
{
	int value = 0;
	socklen_t length = sizeof(value);

	if (getsockopt(descriptor, IPPROTO_IP, is_multicast ? IP_MULTICAST_TTL : IP_TTL, &value,
		       &length) != 0 ||
	    value < 1 || value > UINT8_MAX)
		return is_multicast ? 1 : TIME_TO_LIVE;
	return (uint8_t)value;
}
