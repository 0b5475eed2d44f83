/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Questions to the driver by the ethtool ioctl, which needs no privilege for them. The kernel names
 * some sixty features; those are told that change what a small packet or its fragments go through,
 * under the names that `ethtool -k` prints.
 */
#include "os/host_interface.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define FEATURES_MAX 1024u /* bits; kernels of today have 64 */

static const struct {
	const char *kernel;
	const char *shown;
} names[] = {
	{"rx-checksum", "rx-checksumming"},
	{"tx-checksum-ipv4", "tx-checksumming"},
	{"tx-checksum-ip-generic", "tx-checksumming"},
	{"tx-checksum-ipv6", "tx-checksumming"},
	{"tx-scatter-gather", "scatter-gather"},
	{"tx-tcp-segmentation", "tcp-segmentation-offload"},
	{"tx-generic-segmentation", "generic-segmentation-offload"},
	{"rx-gro", "generic-receive-offload"},
	{"rx-lro", "large-receive-offload"},
	{"rx-gro-hw", "rx-gro-hw"},
	{"rx-gro-list", "rx-gro-list"},
	{"tx-udp-segmentation", "tx-udp-segmentation"},
	{"rx-udp-gro-forwarding", "rx-udp-gro-forwarding"},
	{"rx-hashing", "receive-hashing"},
	{"rx-ntuple-filter", "ntuple-filters"},
	{"tx-nocache-copy", "tx-nocache-copy"},
	{"hw-tc-offload", "hw-tc-offload"},
	{"threaded", "threaded"},
};

static int ask(int control, const char *interface, void *question)
{
	struct ifreq request;

	memset(&request, 0, sizeof(request));
	memcpy(request.ifr_name, interface, strlen(interface) + 1);
	request.ifr_data = question;
	return ioctl(control, SIOCETHTOOL, &request);
}

/* How many features this kernel has; 0 if it does not tell. */
static uint32_t count_features(int control, const char *interface)
{
	/* The answer's number stands behind the head, in its flexible array. */
	_Alignas(struct ethtool_sset_info)
		uint8_t bytes[sizeof(struct ethtool_sset_info) + sizeof(uint32_t)] = {0};
	struct ethtool_sset_info *question = (struct ethtool_sset_info *)bytes;

	question->cmd = ETHTOOL_GSSET_INFO;
	question->sset_mask = 1ULL << ETH_SS_FEATURES;
	if (ask(control, interface, question) != 0 || question->sset_mask == 0 ||
	    question->data[0] > FEATURES_MAX)
		return 0;
	return question->data[0];
}

static void add_offload(struct environment *environment, const char *name)
{
	for (uint32_t i = 0; i < environment->offload_count; i++)
		if (strcmp(environment->offloads[i], name) == 0)
			return;
	if (environment->offload_count == RESULT_OFFLOADS_MAX)
		return;
	memcpy(environment->offloads[environment->offload_count++], name, strlen(name) + 1);
}

/* Whether the bit of the feature with this name is set. */
static bool is_on(const struct ethtool_gstrings *strings, const struct ethtool_gfeatures *features,
		  const char *name)
{
	for (uint32_t bit = 0; bit < strings->len; bit++) {
		const char *text = (const char *)strings->data + (size_t)bit * ETH_GSTRING_LEN;

		if (strncmp(text, name, ETH_GSTRING_LEN) == 0 && bit / 32 < features->size)
			return (features->features[bit / 32].active >> bit % 32 & 1) != 0;
	}
	return false;
}

/* Asks for the names of `count` features and which of them are on; both have room for so many. */
static void ask_features(int control, const char *interface, uint32_t count,
			 struct ethtool_gstrings *strings, struct ethtool_gfeatures *features,
			 struct environment *environment)
{
	strings->cmd = ETHTOOL_GSTRINGS;
	strings->string_set = ETH_SS_FEATURES;
	strings->len = count;
	features->cmd = ETHTOOL_GFEATURES;
	features->size = (count + 31) / 32;
	environment->offloads_known = ask(control, interface, strings) == 0 &&
				      strings->len <= count &&
				      ask(control, interface, features) == 0;
	for (size_t i = 0; environment->offloads_known && i < ARRAY_LENGTH(names); i++)
		if (is_on(strings, features, names[i].kernel))
			add_offload(environment, names[i].shown);
}

static void read_offloads(int control, const char *interface, struct environment *environment)
{
	uint32_t count = count_features(control, interface);
	size_t blocks = (count + 31) / 32;
	struct ethtool_gstrings *strings;
	struct ethtool_gfeatures *features;

	if (count == 0)
		return;
	strings = calloc(1, sizeof(*strings) + (size_t)count * ETH_GSTRING_LEN);
	features = calloc(1, sizeof(*features) + blocks * sizeof(features->features[0]));
	if (strings != NULL && features != NULL)
		ask_features(control, interface, count, strings, features, environment);
	free(strings);
	free(features);
}

static void read_coalescing(int control, const char *interface, struct environment *environment)
{
	struct ethtool_coalesce answer = {.cmd = ETHTOOL_GCOALESCE};
	struct result_coalescing *coalescing = &environment->coalescing;

	if (ask(control, interface, &answer) != 0)
		return;
	coalescing->known = true;
	coalescing->adaptive_receive = answer.use_adaptive_rx_coalesce != 0;
	coalescing->adaptive_send = answer.use_adaptive_tx_coalesce != 0;
	coalescing->receive_us = answer.rx_coalesce_usecs;
	coalescing->receive_frames = answer.rx_max_coalesced_frames;
	coalescing->send_us = answer.tx_coalesce_usecs;
	coalescing->send_frames = answer.tx_max_coalesced_frames;
}

void host_interface(const char *interface, struct environment *environment)
{
	int control;

	if (interface[0] == '\0' || strlen(interface) >= IFNAMSIZ)
		return;
	control = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (control < 0)
		return;
	read_offloads(control, interface, environment);
	read_coalescing(control, interface, environment);
	(void)close(control);
}
