/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One question to rtnetlink about the way to a target, then two about the interface it leads to.
 * The kernel's answer is the one that it will act on a moment later, policy rules, VRFs and
 * learned path MTUs included; no table is read and judged here.
 */
#include "os/route.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/ipv6.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define ANSWER_BYTES 32768 /* a link's answer with all its statistics takes some 2,000 */
#define ROUTE_SEQUENCE 1u
#define LINK_SEQUENCE 2u

/* ---- one question, one answer ---- */

/* Sends the request and runs the callback over the answer: 0, or -errno, also the kernel's own. */
static int ask(struct nlmsghdr *request, mnl_cb_t callback, void *data)
{
	struct mnl_socket *netlink = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
	_Alignas(struct nlmsghdr) char answer[ANSWER_BYTES];
	int result = -1;

	if (netlink == NULL)
		return -errno;
	if (mnl_socket_bind(netlink, 0, MNL_SOCKET_AUTOPID) == 0 &&
	    mnl_socket_sendto(netlink, request, request->nlmsg_len) >= 0) {
		ssize_t length = mnl_socket_recvfrom(netlink, answer, sizeof(answer));

		if (length > 0)
			result = mnl_cb_run(answer, (size_t)length, request->nlmsg_seq,
					    mnl_socket_get_portid(netlink), callback, data);
	}
	result = result < 0 ? -errno : 0;
	(void)mnl_socket_close(netlink);
	return result;
}

static void copy_text(char *to, size_t size, const struct nlattr *attribute)
{
	size_t length = min_u64(mnl_attr_get_payload_len(attribute), size - 1);

	memcpy(to, mnl_attr_get_payload(attribute), length);
	to[length] = '\0';
}

/* A number of 32 bits, 0 if the attribute is too short for one. */
static uint32_t get_u32(const struct nlattr *attribute)
{
	return mnl_attr_get_payload_len(attribute) >= sizeof(uint32_t) ? mnl_attr_get_u32(attribute)
								       : 0;
}

/* ---- the route ---- */

struct route_answer {
	struct route *route;
	uint8_t type;
	uint8_t family;
	int error;           /* IPv6: unreachable and the like are routes with an error in them */
	uint32_t metric_mtu;
};

static struct address get_address(uint8_t family, const struct nlattr *attribute)
{
	struct address none = {0};
	uint16_t length = mnl_attr_get_payload_len(attribute);

	if (family == AF_INET && length >= 4)
		return address_from_ip4(mnl_attr_get_payload(attribute));
	if (family == AF_INET6 && length >= 16)
		return address_from_ip6(mnl_attr_get_payload(attribute), 0);
	return none;
}

static int read_metric(const struct nlattr *attribute, void *data)
{
	struct route_answer *answer = data;

	if (mnl_attr_get_type(attribute) == RTAX_MTU)
		answer->metric_mtu = get_u32(attribute);
	return MNL_CB_OK;
}

static int read_route_attribute(const struct nlattr *attribute, void *data)
{
	struct route_answer *answer = data;
	struct rta_cacheinfo info;

	switch (mnl_attr_get_type(attribute)) {
	case RTA_OIF:
		answer->route->interface_index = get_u32(attribute);
		break;
	case RTA_PREFSRC:
		answer->route->source = get_address(answer->family, attribute);
		break;
	case RTA_METRICS:
		return mnl_attr_parse_nested(attribute, read_metric, answer);
	case RTA_CACHEINFO:
		if (mnl_attr_get_payload_len(attribute) < sizeof(info))
			break;
		memcpy(&info, mnl_attr_get_payload(attribute), sizeof(info));
		answer->error = (int)info.rta_error;
		break;
	default:
		break;
	}
	return MNL_CB_OK;
}

static int read_route(const struct nlmsghdr *message, void *data)
{
	struct route_answer *answer = data;
	const struct rtmsg *header = mnl_nlmsg_get_payload(message);

	if (message->nlmsg_type != RTM_NEWROUTE ||
	    mnl_nlmsg_get_payload_len(message) < sizeof(*header))
		return MNL_CB_OK;
	answer->type = header->rtm_type;
	answer->family = header->rtm_family;
	return mnl_attr_parse(message, sizeof(*header), read_route_attribute, answer);
}

static int ask_route(const struct address *destination, const struct address *source,
		     uint32_t interface, struct route_answer *answer)
{
	_Alignas(struct nlmsghdr) char buffer[512] = {0};
	struct nlmsghdr *request = mnl_nlmsg_put_header(buffer);
	struct rtmsg *header;
	size_t bytes = destination->family == 4 ? 4 : 16;

	request->nlmsg_type = RTM_GETROUTE;
	request->nlmsg_flags = NLM_F_REQUEST;
	request->nlmsg_seq = ROUTE_SEQUENCE;
	header = mnl_nlmsg_put_extra_header(request, sizeof(*header));
	header->rtm_family = destination->family == 4 ? AF_INET : AF_INET6;
	header->rtm_dst_len = (unsigned char)(bytes * 8);
	mnl_attr_put(request, RTA_DST, bytes, destination->bytes);
	if (source->family == destination->family) {
		header->rtm_src_len = (unsigned char)(bytes * 8);
		mnl_attr_put(request, RTA_SRC, bytes, source->bytes);
	}
	if (interface != 0)
		mnl_attr_put_u32(request, RTA_OIF, interface);
	return ask(request, read_route, answer);
}

/* ---- the interface ---- */

struct link_answer {
	struct route *route;
	uint32_t mtu6; /* IPv6 may have a smaller MTU of its own */
	bool is_loopback;
};

static int read_kind(const struct nlattr *attribute, void *data)
{
	struct link_answer *answer = data;

	if (mnl_attr_get_type(attribute) == IFLA_INFO_KIND)
		copy_text(answer->route->kind, sizeof(answer->route->kind), attribute);
	return MNL_CB_OK;
}

static int read_settings6(const struct nlattr *attribute, void *data)
{
	struct link_answer *answer = data;
	int32_t values[DEVCONF_MTU6 + 1];

	if (mnl_attr_get_type(attribute) != IFLA_INET6_CONF ||
	    mnl_attr_get_payload_len(attribute) < sizeof(values))
		return MNL_CB_OK;
	memcpy(values, mnl_attr_get_payload(attribute), sizeof(values));
	if (values[DEVCONF_MTU6] > 0)
		answer->mtu6 = (uint32_t)values[DEVCONF_MTU6];
	return MNL_CB_OK;
}

static int read_family(const struct nlattr *attribute, void *data)
{
	if (mnl_attr_get_type(attribute) == AF_INET6)
		return mnl_attr_parse_nested(attribute, read_settings6, data);
	return MNL_CB_OK;
}

static int read_link_attribute(const struct nlattr *attribute, void *data)
{
	struct link_answer *answer = data;
	struct route *route = answer->route;

	switch (mnl_attr_get_type(attribute)) {
	case IFLA_IFNAME:
		copy_text(route->interface, sizeof(route->interface), attribute);
		break;
	case IFLA_MTU:
		route->mtu = get_u32(attribute);
		break;
	case IFLA_LINKINFO:
		return mnl_attr_parse_nested(attribute, read_kind, answer);
	case IFLA_AF_SPEC:
		return mnl_attr_parse_nested(attribute, read_family, answer);
	default:
		break;
	}
	return MNL_CB_OK;
}

static int read_link(const struct nlmsghdr *message, void *data)
{
	struct link_answer *answer = data;
	const struct ifinfomsg *header = mnl_nlmsg_get_payload(message);

	if (message->nlmsg_type != RTM_NEWLINK ||
	    mnl_nlmsg_get_payload_len(message) < sizeof(*header))
		return MNL_CB_OK;
	answer->is_loopback = (header->ifi_flags & IFF_LOOPBACK) != 0;
	return mnl_attr_parse(message, sizeof(*header), read_link_attribute, answer);
}

static int ask_link(uint32_t index, struct link_answer *answer)
{
	_Alignas(struct nlmsghdr) char buffer[512] = {0};
	struct nlmsghdr *request = mnl_nlmsg_put_header(buffer);
	struct ifinfomsg *header;

	request->nlmsg_type = RTM_GETLINK;
	request->nlmsg_flags = NLM_F_REQUEST;
	request->nlmsg_seq = LINK_SEQUENCE;
	header = mnl_nlmsg_put_extra_header(request, sizeof(*header));
	header->ifi_family = AF_UNSPEC;
	header->ifi_index = (int)index;
	return ask(request, read_link, answer);
}

/* Speed and driver as the driver tells them; either stays unknown where it tells nothing. */
static void ask_driver(struct route *route)
{
	struct ethtool_cmd settings = {.cmd = ETHTOOL_GSET};
	struct ethtool_drvinfo driver = {.cmd = ETHTOOL_GDRVINFO};
	struct ifreq request = {0};
	uint32_t megabits = (uint32_t)SPEED_UNKNOWN;
	int control = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (control < 0)
		return;
	if (strlen(route->interface) < sizeof(request.ifr_name)) {
		memcpy(request.ifr_name, route->interface, strlen(route->interface) + 1);
		request.ifr_data = (char *)&driver;
		if (ioctl(control, SIOCETHTOOL, &request) == 0)
			memcpy(route->driver, driver.driver,
			       strnlen(driver.driver, sizeof(driver.driver) - 1));
		request.ifr_data = (char *)&settings;
		/* A TUN device claims 10 Mbit/s for a link that has no speed. */
		if (strcmp(route->kind, "tun") != 0 && ioctl(control, SIOCETHTOOL, &request) == 0)
			megabits = (uint32_t)settings.speed_hi << 16 | settings.speed;
		if (megabits != (uint32_t)SPEED_UNKNOWN)
			route->link_bits_per_s = megabits * UINT64_C(1000000);
	}
	(void)close(control);
}

uint32_t route_interface_index(const char *name)
{
	return if_nametoindex(name);
}

static int no_route(const struct address *destination, int result, struct error *error)
{
	char text[ADDRESS_TEXT_LENGTH];

	(void)error_set_system(error, -result, "no route to %s", address_text(destination, text));
	if (error != NULL)
		error->code = ERROR_NOT_FOUND;
	return -ERROR_NOT_FOUND;
}

int route_lookup(const struct address *destination, const struct address *source,
		 const char *device, struct route *route, struct error *error)
{
	struct route_answer answer = {.route = route};
	struct link_answer link = {.route = route};
	uint32_t interface = destination->scope_id;
	int result;

	memset(route, 0, sizeof(*route));
	route->is_multicast = address_is_multicast(destination);
	if (device[0] != '\0') {
		interface = if_nametoindex(device);
		if (interface == 0)
			return error_set(error, ERROR_NOT_FOUND, "there is no interface '%s'",
					 device);
	}
	result = ask_route(destination, source, interface, &answer);
	if (result == 0)
		result = answer.error < 0 ? answer.error : -answer.error;
	if (result == 0 && route->interface_index == 0)
		result = -ENETUNREACH;
	if (result < 0)
		return no_route(destination, result, error);
	if (source->family != 0)
		route->source = *source;
	route->is_local = answer.type == RTN_LOCAL;
	route->is_broadcast = answer.type == RTN_BROADCAST;
	route->is_multicast |= answer.type == RTN_MULTICAST;

	result = ask_link(route->interface_index, &link);
	if (result < 0)
		return error_set_system(error, -result, "cannot read about interface %u",
					route->interface_index);
	ask_driver(route);
	route->is_virtual_pair = link.is_loopback || strcmp(route->kind, "veth") == 0;
	route->path_mtu = route->mtu;
	if (destination->family == 6 && link.mtu6 > 0)
		route->path_mtu = (uint32_t)min_u64(route->path_mtu, link.mtu6);
	/* A learned path MTU is a metric of the route, as one that was configured. */
	if (answer.metric_mtu > 0)
		route->path_mtu = (uint32_t)min_u64(route->path_mtu, answer.metric_mtu);
	return 0;
}
