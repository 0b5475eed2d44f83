/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The TUN device, see device.h. IPv6 addresses are added with IFA_F_NODAD: they can be used at
 * once, and no duplicate address detection appears among the packets that a test counts.
 */
#include "device.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/if_tun.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

struct netlink_request {
	struct nlmsghdr header;
	union {
		struct ifaddrmsg address;
		struct rtmsg route;
	} body;
	uint8_t attributes[128];
};

static int fail(struct device_settings *settings, const char *what)
{
	snprintf(settings->error, sizeof(settings->error), "%s: %s", what, strerror(errno));
	return -1;
}

static void name_interface(struct ifreq *request, const char *name)
{
	memset(request, 0, sizeof(*request));
	memcpy(request->ifr_name, name, strnlen(name, IFNAMSIZ - 1));
}

int device_open(struct device_settings *settings)
{
	struct ifreq request;
	int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (device < 0)
		return fail(settings, "/dev/net/tun");
	name_interface(&request, settings->name);
	request.ifr_flags = IFF_TUN | IFF_NO_PI;
	if (ioctl(device, TUNSETIFF, &request) < 0) {
		fail(settings, "TUNSETIFF");
		close(device);
		return -1;
	}
	memcpy(settings->name, request.ifr_name, sizeof(settings->name));
	settings->name[sizeof(settings->name) - 1] = '\0';
	return device;
}

static void add_attribute(struct netlink_request *request, unsigned short type, const void *bytes,
			  size_t length)
{
	size_t at = NLMSG_ALIGN(request->header.nlmsg_len);
	struct rtattr attribute = {.rta_len = (unsigned short)RTA_LENGTH(length), .rta_type = type};
	uint8_t *place = (uint8_t *)request + at;

	memcpy(place, &attribute, sizeof(attribute));
	memcpy(place + RTA_LENGTH(0), bytes, length);
	request->header.nlmsg_len = (uint32_t)(at + RTA_ALIGN(RTA_LENGTH(length)));
}

/* Send one request and read its acknowledgement: 0, or -1 with errno. */
static int ask_kernel(int netlink, struct netlink_request *request)
{
	uint8_t answer[512];
	struct nlmsghdr header;
	struct nlmsgerr error;

	if (send(netlink, request, request->header.nlmsg_len, 0) < 0)
		return -1;
	if (recv(netlink, answer, sizeof(answer), 0) <
	    (ssize_t)(NLMSG_HDRLEN + sizeof(error.error)))
		return -1;
	memcpy(&header, answer, sizeof(header));
	memcpy(&error.error, answer + NLMSG_HDRLEN, sizeof(error.error));
	if (header.nlmsg_type != NLMSG_ERROR)
		error.error = -EPROTO;
	errno = -error.error;
	return error.error ? -1 : 0;
}

static int add_address(int netlink, int index, const struct address *address, unsigned int prefix)
{
	struct netlink_request request = {0};
	uint8_t broadcast[4];
	uint32_t flags = IFA_F_NODAD;

	request.header.nlmsg_len = NLMSG_LENGTH(sizeof(request.body.address));
	request.header.nlmsg_type = RTM_NEWADDR;
	request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE;
	request.body.address.ifa_family = address->family == 6 ? AF_INET6 : AF_INET;
	request.body.address.ifa_prefixlen = (uint8_t)prefix;
	request.body.address.ifa_index = (uint32_t)index;
	add_attribute(&request, IFA_LOCAL, address->bytes, address_length(address));
	add_attribute(&request, IFA_ADDRESS, address->bytes, address_length(address));
	if (address->family == 6) {
		add_attribute(&request, IFA_FLAGS, &flags, sizeof(flags));
	} else if (prefix < 31) {
		put32(broadcast, get32(address->bytes) | 0xffffffffu >> prefix);
		add_attribute(&request, IFA_BROADCAST, broadcast, sizeof(broadcast));
	}
	return ask_kernel(netlink, &request);
}

static int add_route(int netlink, int index, const struct address *net, unsigned int prefix)
{
	struct netlink_request request = {0};
	uint32_t out = (uint32_t)index;

	request.header.nlmsg_len = NLMSG_LENGTH(sizeof(request.body.route));
	request.header.nlmsg_type = RTM_NEWROUTE;
	request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE;
	request.body.route.rtm_family = net->family == 6 ? AF_INET6 : AF_INET;
	request.body.route.rtm_dst_len = (uint8_t)prefix;
	request.body.route.rtm_table = RT_TABLE_MAIN;
	request.body.route.rtm_protocol = RTPROT_STATIC;
	request.body.route.rtm_scope = net->family == 6 ? RT_SCOPE_UNIVERSE : RT_SCOPE_LINK;
	request.body.route.rtm_type = RTN_UNICAST;
	add_attribute(&request, RTA_DST, net->bytes, address_length(net));
	add_attribute(&request, RTA_OIF, &out, sizeof(out));
	return ask_kernel(netlink, &request);
}

static int set_link(struct device_settings *settings, int control)
{
	struct ifreq request;

	if (settings->up && settings->transmit_queue == 0)
		settings->transmit_queue = DEVICE_QUEUE;
	if (settings->mtu > 0) {
		name_interface(&request, settings->name);
		request.ifr_mtu = settings->mtu;
		if (ioctl(control, SIOCSIFMTU, &request) < 0)
			return fail(settings, "setting the MTU");
	}
	if (settings->transmit_queue > 0) {
		name_interface(&request, settings->name);
		request.ifr_qlen = settings->transmit_queue;
		if (ioctl(control, SIOCSIFTXQLEN, &request) < 0)
			return fail(settings, "setting the transmit queue");
	}
	if (settings->up) {
		name_interface(&request, settings->name);
		if (ioctl(control, SIOCGIFFLAGS, &request) < 0)
			return fail(settings, "reading the interface flags");
		request.ifr_flags |= IFF_UP;
		if (ioctl(control, SIOCSIFFLAGS, &request) < 0)
			return fail(settings, "bringing the interface up");
	}
	return 0;
}

static int set_addresses(struct device_settings *settings, int netlink)
{
	int index = (int)if_nametoindex(settings->name);

	if (settings->address4.family &&
	    add_address(netlink, index, &settings->address4, settings->prefix4) < 0)
		return fail(settings, "adding the IPv4 address");
	if (settings->address6.family &&
	    add_address(netlink, index, &settings->address6, settings->prefix6) < 0)
		return fail(settings, "adding the IPv6 address");
	for (int i = 0; i < settings->routes; i++) {
		if (add_route(netlink, index, &settings->route[i].net, settings->route[i].prefix) <
		    0)
			return fail(settings, "adding a route");
	}
	return 0;
}

int device_configure(struct device_settings *settings)
{
	int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	int result = -1;

	if (control < 0 || netlink < 0)
		fail(settings, "socket");
	else if (set_link(settings, control) == 0)
		result = set_addresses(settings, netlink);
	if (control >= 0)
		close(control);
	if (netlink >= 0)
		close(netlink);
	return result;
}

int device_mtu(const struct device_settings *settings)
{
	struct ifreq request;
	int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int mtu = 1500;

	name_interface(&request, settings->name);
	if (control >= 0 && ioctl(control, SIOCGIFMTU, &request) == 0)
		mtu = request.ifr_mtu;
	if (control >= 0)
		close(control);
	return mtu;
}

/*
 * From /proc/net/dev, which shows the network namespace of the reader; sysfs shows that of its
 * mount.
 */
int64_t device_drops(const struct device_settings *settings)
{
	FILE *file = fopen("/proc/self/net/dev", "re");
	char line[512], name[DEVICE_NAME_ROOM + 1];
	int64_t drops = -1, value;

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, " %16[^:]: %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %" SCNd64,
			   name, &value) == 2 &&
		    strcmp(name, settings->name) == 0)
			drops = value;
	}
	if (file)
		fclose(file);
	return drops;
}
