/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds out whether interfaces stamp packets in hardware: ethtool tells who has a clock, and
 * SIOCGHWTSTAMP what is switched on. Neither needs a right. A driver that cannot be asked for its
 * setting counts as one that is off.
 */
#include "os/hardware_stamps.h"

#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/ethtool.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>

#define CLOCKS_MAX 32u /* interfaces with clocks that are looked at */

bool hardware_stamps_choose(const struct hardware_stamps_interface *interfaces, size_t count,
			    const char *device)
{
	int clock_index = -1;

	for (size_t i = 0; i < count; i++) {
		const struct hardware_stamps_interface *interface = &interfaces[i];

		if (device[0] != '\0' &&
		    strncmp(interface->name, device, sizeof(interface->name)) != 0)
			continue;
		if (interface->clock_index < 0 || interface->send_mode != HWTSTAMP_TX_ON ||
		    interface->receive_filter != HWTSTAMP_FILTER_ALL)
			continue;
		if (clock_index >= 0 && clock_index != interface->clock_index)
			return false;
		clock_index = interface->clock_index;
	}
	return clock_index >= 0;
}

/* Whether the interface has a clock for stamps; if so, what is on. */
static bool ask(int control, struct hardware_stamps_interface *interface)
{
	struct ethtool_ts_info info = {.cmd = ETHTOOL_GET_TS_INFO};
	struct hwtstamp_config setting = {0};
	struct ifreq request;

	memset(&request, 0, sizeof(request));
	memcpy(request.ifr_name, interface->name, sizeof(request.ifr_name));
	request.ifr_data = (char *)&info;
	if (ioctl(control, SIOCETHTOOL, &request) != 0 || info.phc_index < 0)
		return false;
	interface->clock_index = info.phc_index;
	request.ifr_data = (char *)&setting;
	if (ioctl(control, SIOCGHWTSTAMP, &request) == 0) {
		interface->send_mode = setting.tx_type;
		interface->receive_filter = setting.rx_filter;
	}
	return true;
}

bool hardware_stamps_are_on(const char *device)
{
	struct hardware_stamps_interface found[CLOCKS_MAX];
	struct if_nameindex *names = if_nameindex();
	int control = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	size_t count = 0;

	for (size_t i = 0; names != NULL && control >= 0 && names[i].if_index != 0; i++) {
		struct hardware_stamps_interface interface = {
			.clock_index = -1, .send_mode = -1, .receive_filter = -1};

		if (strlen(names[i].if_name) >= sizeof(interface.name) ||
		    (device[0] != '\0' && strcmp(names[i].if_name, device) != 0))
			continue;
		memcpy(interface.name, names[i].if_name, strlen(names[i].if_name));
		if (!ask(control, &interface))
			continue;
		/* More than can be compared: their stamps cannot be told apart. */
		if (count == CLOCKS_MAX) {
			count = 0;
			break;
		}
		found[count++] = interface;
	}
	if (names != NULL)
		if_freenameindex(names);
	if (control >= 0)
		(void)close(control);
	return hardware_stamps_choose(found, count, device);
}
