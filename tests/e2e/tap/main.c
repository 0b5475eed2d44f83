/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tap: sees echo requests and replies pass an interface with the kernel's stamps, and tells at
 * the end what lay between them. It is the independent witness of round-trip times and of
 * schedules, and shares no code with the program under test.
 *
 * Where a tap stands decides what it measures, and what it disturbs:
 *
 *     driver's send stamp   the program's own (SOF_TIMESTAMPING_TX_SOFTWARE), in the driver
 *     -r DEVICE             requests as they leave through DEVICE. The kernel stamps the copy for
 *                           the tap, hands it over, and only then calls the driver: this stamp is
 *                           earlier than the driver's by the work for the tap itself
 *     -a NAMESPACE:DEVICE   requests as they arrive at the other end of a veth pair. The driver
 *                           hands the packet over right after its own stamp, and the other end
 *                           stamps it at once: this one is later by that hand-over alone, and no
 *                           tap works between the two
 *     -d DEVICE             replies as they arrive at DEVICE: the very stamp that a socket gets
 *
 * So between -a and -d lies a little less than between the program's kernel stamps, between -r and
 * -d more; the truth is bracketed. With -a nothing is done to packets that leave
 * (PACKET_IGNORE_OUTGOING), so that the program runs as without a tap.
 *
 * The tap sleeps and looks every millisecond: a reader that waits would have to be woken from
 * within the packet's way, which costs more than all the rest of it.
 *
 * Usage: tap [-r DEVICE | -a NAMESPACE:DEVICE] [-d DEVICE] [-i INTERVAL_NS] [-u PORT[,BYTES]]
 *            [--ready FILE]
 * -i adds how the requests keep a schedule of one each interval; -u looks at UDP datagrams to PORT
 * with so many data bytes instead of echo requests. It writes a JSON object at SIGTERM or SIGINT.
 */
#include "tap.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#ifndef PACKET_IGNORE_OUTGOING
#define PACKET_IGNORE_OUTGOING 23
#endif
#define BATCH 64
#define BUFFER_BYTES (64 << 20)

static volatile sig_atomic_t stopped;

struct tap {
	struct filter filter;
	struct sightings requests, replies;
	uint64_t unstamped, dropped;
};

/* One socket, and which of what passes it is taken. */
struct place {
	int socket;
	bool is_outgoing;     /* else what arrives */
	enum packet_kind takes;
};

static void stop(int number)
{
	(void)number;
	stopped = 1;
}

static void fail(const char *what)
{
	fprintf(stderr, "tap: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void set(int socket, int level, int option, const void *value, size_t length)
{
	if (setsockopt(socket, level, option, value, (socklen_t)length) < 0)
		fail("setsockopt");
}

/* Receives nothing before it is bound: its options are there with the first packet. */
static int open_socket(const char *device, bool is_outgoing)
{
	static struct sock_filter code[] = {{BPF_RET | BPF_K, 0, 0, PACKET_BYTES}};
	struct sock_fprog program = {.len = 1, .filter = code};
	int one = 1, buffer = BUFFER_BYTES;
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = (int)if_nametoindex(device),
	};
	int socket_number = socket(AF_PACKET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (socket_number < 0 || address.sll_ifindex == 0)
		fail(device);
	set(socket_number, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof(one));
	set(socket_number, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof(buffer));
	set(socket_number, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
	if (!is_outgoing)
		set(socket_number, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof(one));
	if (bind(socket_number, (struct sockaddr *)&address, sizeof(address)) < 0)
		fail(device);
	return socket_number;
}

/* NAMESPACE:DEVICE. The socket stays in the namespace where it was made. */
static int open_socket_elsewhere(char *place)
{
	char path[128];
	char *colon = strchr(place, ':');
	int here = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	int there, socket_number;

	if (colon == NULL) {
		errno = EINVAL;
		fail(place);
	}
	*colon = '\0';
	(void)snprintf(path, sizeof(path), "/run/netns/%s", place);
	there = open(path, O_RDONLY | O_CLOEXEC);
	if (here < 0 || there < 0 || setns(there, CLONE_NEWNET) < 0)
		fail(path);
	socket_number = open_socket(colon + 1, false);
	if (setns(here, CLONE_NEWNET) < 0)
		fail("/proc/self/ns/net");
	close(here);
	close(there);
	return socket_number;
}

static int64_t stamp_of(struct msghdr *message)
{
	for (struct cmsghdr *at = CMSG_FIRSTHDR(message); at != NULL;
	     at = CMSG_NXTHDR(message, at)) {
		struct timespec stamp;

		if (at->cmsg_level != SOL_SOCKET || at->cmsg_type != SO_TIMESTAMPNS)
			continue;
		memcpy(&stamp, CMSG_DATA(at), sizeof(stamp));
		return (int64_t)stamp.tv_sec * 1000000000 + stamp.tv_nsec;
	}
	return INT64_MIN;
}

static void take(struct tap *tap, const struct place *place, struct mmsghdr *packet)
{
	const struct sockaddr_ll *address = packet->msg_hdr.msg_name;
	const struct iovec *vector = packet->msg_hdr.msg_iov;
	size_t full_length = packet->msg_len;
	size_t length = full_length < vector->iov_len ? full_length : vector->iov_len;
	int64_t stamp_ns = stamp_of(&packet->msg_hdr);
	uint64_t key;

	if ((address->sll_pkttype == PACKET_OUTGOING) != place->is_outgoing ||
	    packet_look(&tap->filter, vector->iov_base, length, full_length, &key) != place->takes)
		return;
	if (stamp_ns == INT64_MIN)
		tap->unstamped++;
	else
		sightings_add(place->takes == PACKET_REQUEST ? &tap->requests : &tap->replies, key,
			      stamp_ns);
}

static void drain(struct tap *tap, const struct place *place)
{
	static uint8_t bytes[BATCH][PACKET_BYTES];
	static uint8_t control[BATCH][128];
	static struct sockaddr_ll addresses[BATCH];
	struct iovec vectors[BATCH];
	struct mmsghdr packets[BATCH];
	int count;

	do {
		for (int i = 0; i < BATCH; i++) {
			vectors[i] = (struct iovec){bytes[i], PACKET_BYTES};
			packets[i].msg_hdr = (struct msghdr){
				.msg_name = &addresses[i],
				.msg_namelen = sizeof(addresses[i]),
				.msg_iov = &vectors[i],
				.msg_iovlen = 1,
				.msg_control = control[i],
				.msg_controllen = sizeof(control[i]),
			};
		}
		count = recvmmsg(place->socket, packets, BATCH, MSG_DONTWAIT | MSG_TRUNC, NULL);
		for (int i = 0; i < count; i++)
			take(tap, place, &packets[i]);
	} while (count == BATCH);
}

static void count_drops(struct tap *tap, const struct place *place)
{
	struct tpacket_stats statistics = {0};
	socklen_t length = sizeof(statistics);

	if (getsockopt(place->socket, SOL_PACKET, PACKET_STATISTICS, &statistics, &length) == 0)
		tap->dropped += statistics.tp_drops;
}

static void make_ready(const char *path)
{
	int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	if (file < 0)
		fail(path);
	close(file);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {{"ready", required_argument, NULL, 'R'}, {0}};
	static const struct timespec rest = {.tv_nsec = 1000000};
	struct sigaction action = {.sa_handler = stop};
	struct place places[2];
	size_t count = 0;
	struct tap tap = {0};
	int64_t interval_ns = 0;
	const char *ready = NULL;
	char *end;

	for (int letter; (letter = getopt_long(argc, argv, "r:a:d:i:u:", options, NULL)) != -1;) {
		switch (letter) {
		case 'r':
		case 'a':
		case 'd':
			if (count == 2)
				return 2;
			places[count++] = (struct place){
				.socket = letter == 'a' ? open_socket_elsewhere(optarg)
							: open_socket(optarg, letter == 'r'),
				.is_outgoing = letter == 'r',
				.takes = letter == 'd' ? PACKET_REPLY : PACKET_REQUEST,
			};
			break;
		case 'i':
			interval_ns = strtoll(optarg, NULL, 10);
			break;
		case 'u':
			tap.filter.udp_port = (uint16_t)strtoul(optarg, &end, 10);
			tap.filter.udp_bytes = *end == ',' ? strtoul(end + 1, NULL, 10) : 0;
			break;
		case 'R':
			ready = optarg;
			break;
		default:
			return 2;
		}
	}
	if (count == 0 || optind != argc) {
		fprintf(stderr, "usage: tap [-r DEVICE | -a NAMESPACE:DEVICE] [-d DEVICE] "
				"[-i INTERVAL_NS] [-u PORT[,BYTES]] [--ready FILE]\n");
		return 2;
	}
	if (sigaction(SIGTERM, &action, NULL) < 0 || sigaction(SIGINT, &action, NULL) < 0)
		fail("sigaction");
	if (ready != NULL)
		make_ready(ready);
	for (bool last = false; !last;) {
		last = stopped;
		for (size_t i = 0; i < count; i++)
			drain(&tap, &places[i]);
		if (!last)
			(void)nanosleep(&rest, NULL);
	}
	for (size_t i = 0; i < count; i++)
		count_drops(&tap, &places[i]);
	printf("{\"requests\":%zu,\"replies\":%zu,\"unstamped\":%" PRIu64 ",\"dropped\":%" PRIu64
	       ",", tap.requests.count, tap.replies.count, tap.unstamped, tap.dropped);
	figures_rtt(stdout, &tap.requests, &tap.replies);
	if (interval_ns > 0) {
		printf(",");
		figures_schedule(stdout, &tap.requests, interval_ns);
	}
	printf("}\n");
	return 0;
}
