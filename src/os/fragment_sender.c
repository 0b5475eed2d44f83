/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One datagram becomes a batch of messages, each a header that is written here and the part of the
 * data that it carries, which is not copied. The order in which they are sent is part of what is
 * measured, so a batch that the kernel takes only in part is continued, never started anew.
 */
#include "os/fragment_sender.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/random.h"
#include "core/fragment_cut.h"
#include "os/socket_options.h"

#define ROOM_WAIT_MS	 100
#define MTU_OF_ANYTHING	 65535u /* the interface's own limit is the kernel's to keep */
#define CHECKSUM_AT	 2u     /* in an ICMPv6 message */
#define ANY_PORT	 9u     /* of a datagram socket that sends nothing */
#define DESTINATIONS_MAX 65536u

struct destination {
	struct address address;
	struct address source; /* that the kernel uses towards it; IPv6 only */
};

struct fragment_sender {
	uint8_t family;
	int pieces, whole;        /* whole: -1 where the other serves for both */
	uint8_t time_to_live, multicast_time_to_live, traffic_class; /* IPv4 */
	uint32_t flow_label;
	struct transport_settings settings;
	struct random_state random;
	uint16_t last_identification; /* IPv4 */
	struct destination *destinations;
	uint32_t destination_count;
	struct mmsghdr messages[TRANSPORT_BATCH];
	struct iovec vectors[TRANSPORT_BATCH][2];
	uint8_t headers[TRANSPORT_BATCH][FRAGMENT_HEADER_BYTES_MAX];
	struct sockaddr_in name4;
	struct sockaddr_in6 name6;
};

static struct sockaddr_in6 name_of_ip6(const struct address *address, uint32_t flow_label)
{
	struct sockaddr_in6 name;

	memset(&name, 0, sizeof(name));
	name.sin6_family = AF_INET6;
	name.sin6_flowinfo = htonl(flow_label);
	name.sin6_scope_id = address->scope_id;
	memcpy(&name.sin6_addr, address->bytes, sizeof(name.sin6_addr));
	return name;
}

static struct sockaddr_in name_of_ip4(const struct address *address)
{
	struct sockaddr_in name;

	memset(&name, 0, sizeof(name));
	name.sin_family = AF_INET;
	memcpy(&name.sin_addr, address->bytes, sizeof(name.sin_addr));
	return name;
}

/* Options and the address of -I, on one of the sockets. */
static int prepare_socket(const struct fragment_sender *sender, int descriptor,
			  struct error *error)
{
	const struct transport_settings *settings = &sender->settings;
	struct sockaddr_in name4 = name_of_ip4(&settings->source);
	struct sockaddr_in6 name6 = name_of_ip6(&settings->source, 0);
	int status;

	if (descriptor < 0)
		return 0;
	status = socket_options_apply_fragments(descriptor, settings, error);
	if (status < 0 || settings->source.family == 0)
		return status;
	if ((sender->family == 4
		     ? bind(descriptor, (struct sockaddr *)&name4, sizeof(name4))
		     : bind(descriptor, (struct sockaddr *)&name6, sizeof(name6))) != 0)
		return error_set_system(error, errno, "cannot bind a fragment socket (-I)");
	return 0;
}

int fragment_sender_open(struct fragment_sender **sender, int pieces, int whole,
			 const struct transport_settings *settings, struct error *error)
{
	const struct configuration *configuration = settings->configuration;
	struct fragment_sender *opened = calloc(1, sizeof(*opened));
	uint64_t seed = 0;
	int status = 0;

	*sender = NULL;
	if (opened == NULL) {
		(void)close(pieces);
		if (whole >= 0)
			(void)close(whole);
		return error_set(error, ERROR_NO_MEMORY, "no memory for fragments");
	}
	opened->family = settings->family;
	opened->pieces = pieces;
	opened->whole = whole;
	opened->settings = *settings;
	opened->traffic_class = (uint8_t)max_i64(configuration->traffic_class, 0);
	opened->flow_label = (uint32_t)max_i64(configuration->flow_label, 0);
	if (getrandom(&seed, sizeof(seed), 0) != (ssize_t)sizeof(seed))
		status = error_set_system(error, errno, "the kernel gives no random numbers");
	random_seed(&opened->random, seed);
	opened->last_identification = (uint16_t)random_next(&opened->random);
	if (status == 0)
		status = prepare_socket(opened, pieces, error);
	if (status == 0)
		status = prepare_socket(opened, whole, error);
	if (status < 0) {
		fragment_sender_close(opened);
		return status;
	}
	if (opened->family == 4) {
		opened->time_to_live = socket_options_time_to_live(pieces, false);
		opened->multicast_time_to_live = socket_options_time_to_live(pieces, true);
	}
	*sender = opened;
	return 0;
}

void fragment_sender_close(struct fragment_sender *sender)
{
	if (sender == NULL)
		return;
	(void)close(sender->pieces);
	if (sender->whole >= 0)
		(void)close(sender->whole);
	free(sender->destinations);
	free(sender);
}

/*
 * The source that the kernel chooses for a destination, which the checksum of ICMPv6 contains:
 * that of a socket that was bound alike and connected. Nothing is sent.
 */
static int find_source(const struct fragment_sender *sender, const struct address *address,
		       struct address *source, struct error *error)
{
	struct sockaddr_in6 own = name_of_ip6(&sender->settings.source, 0);
	struct sockaddr_in6 name = name_of_ip6(address, sender->flow_label);
	socklen_t length = sizeof(own);
	int descriptor = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool found;

	name.sin6_port = htons(ANY_PORT);
	*source = *address;
	found = descriptor >= 0 &&
		socket_options_bind_device(descriptor, &sender->settings, error) == 0 &&
		(sender->settings.source.family == 0 ||
		 bind(descriptor, (struct sockaddr *)&own, sizeof(own)) == 0) &&
		connect(descriptor, (struct sockaddr *)&name, sizeof(name)) == 0 &&
		getsockname(descriptor, (struct sockaddr *)&own, &length) == 0;
	if (found)
		memcpy(source->bytes, &own.sin6_addr, sizeof(own.sin6_addr));
	else
		(void)error_set_system(error, errno, "no source address for fragments");
	if (descriptor >= 0)
		(void)close(descriptor);
	return found ? 0 : -ERROR_SYSTEM;
}

int fragment_sender_add_destination(struct fragment_sender *sender, const struct address *address,
				    struct error *error)
{
	size_t count = (size_t)sender->destination_count + 1;
	struct destination *grown = NULL;

	if (count <= DESTINATIONS_MAX)
		grown = realloc(sender->destinations, count * sizeof(*grown));
	if (grown == NULL)
		return error_set(error, ERROR_NO_MEMORY, "no memory for %zu destinations", count);
	sender->destinations = grown;
	grown[sender->destination_count].address = *address;
	if (sender->family == 6) {
		int status = find_source(sender, address,
					 &grown[sender->destination_count].source, error);
		if (status < 0)
			return status;
	}
	sender->destination_count++;
	return 0;
}

/*
 * Waits until there may be room again; false: there has been none for too long. The socket's own
 * buffer tells when it has some, a full queue behind it (ENOBUFS) does not.
 */
static bool wait_for_room(int descriptor, int system_errno, int *left_ms)
{
	struct pollfd polled = {.fd = descriptor, .events = POLLOUT};
	bool is_told = system_errno == EAGAIN;

	if (*left_ms <= 0)
		return false;
	if (poll(&polled, is_told ? 1 : 0, is_told ? *left_ms : 1) == 0 && is_told)
		*left_ms = 0;
	else
		*left_ms -= 1;
	return *left_ms > 0;
}

/* Sends the first `count` messages: 0 or -errno. has_begun: part of the datagram has left. */
static int send_messages(struct fragment_sender *sender, uint32_t count, bool has_begun)
{
	int left_ms = ROOM_WAIT_MS;
	uint32_t done = 0;

	while (done < count) {
		int sent = sendmmsg(sender->pieces, sender->messages + done, count - done,
				    MSG_DONTWAIT);
		int system_errno = errno;

		if (sent > 0) {
			done += (uint32_t)sent;
			continue;
		}
		if (system_errno == EINTR)
			continue;
		if ((system_errno != EAGAIN && system_errno != ENOBUFS) ||
		    (done == 0 && !has_begun) ||
		    !wait_for_room(sender->pieces, system_errno, &left_ms))
			return -system_errno;
	}
	return 0;
}

static void fill_message(struct fragment_sender *sender, uint32_t place,
			 const struct transport_outgoing *packet, const struct fragment *fragment,
			 const struct fragment_header_facts *facts)
{
	struct msghdr *message = &sender->messages[place].msg_hdr;
	struct iovec *vectors = sender->vectors[place];

	vectors[0].iov_base = sender->headers[place];
	if (sender->family == 4) {
		vectors[0].iov_len = FRAGMENT_HEADER_BYTES_IP4;
		fragment_write_ip4(sender->headers[place], fragment, facts);
		message->msg_name = &sender->name4;
		message->msg_namelen = sizeof(sender->name4);
	} else {
		vectors[0].iov_len = FRAGMENT_HEADER_BYTES_IP6;
		fragment_write_ip6(sender->headers[place], fragment, facts->identification);
		message->msg_name = &sender->name6;
		message->msg_namelen = sizeof(sender->name6);
	}
	/* sendmmsg only reads the bytes, but its vectors know no const */
	vectors[1].iov_base = (void *)(uintptr_t)(packet->bytes + fragment->offset);
	vectors[1].iov_len = fragment->payload_bytes;
	message->msg_iov = vectors;
	message->msg_iovlen = 2;
}

/* Consecutive numbers for IPv4, of which 0 is left out; random ones for IPv6. */
static uint32_t next_identification(struct fragment_sender *sender)
{
	if (sender->family == 6)
		return (uint32_t)random_next(&sender->random);
	if (++sender->last_identification == 0)
		sender->last_identification = 1;
	return sender->last_identification;
}

/*
 * Sends the ICMPv6 message in one packet: the kernel writes all headers and the checksum. 1 or
 * -errno.
 */
static int send_whole6(const struct fragment_sender *sender,
		       const struct transport_outgoing *packet)
{
	ssize_t sent = sendto(sender->whole, packet->bytes, packet->length, MSG_DONTWAIT,
			      (const struct sockaddr *)&sender->name6, sizeof(sender->name6));

	return sent < 0 ? -errno : 1;
}

/* The kernel leaves the checksum to us where it does not know that this is ICMPv6. */
static void finish_checksum(const struct destination *destination,
			    const struct transport_outgoing *packet)
{
	uint8_t *message = (uint8_t *)(uintptr_t)packet->bytes;

	bytes_put16(message + CHECKSUM_AT, 0);
	bytes_put16(message + CHECKSUM_AT,
		    fragment_checksum_ip6(destination->source.bytes, destination->address.bytes,
					  message, packet->length));
}

int fragment_sender_send(struct fragment_sender *sender, const struct transport_outgoing *packet)
{
	const struct destination *destination = &sender->destinations[packet->destination];
	struct fragment_header_facts facts = {
		.time_to_live = address_is_multicast(&destination->address)
					? sender->multicast_time_to_live
					: sender->time_to_live,
		.traffic_class = sender->traffic_class,
		.dont_fragment = packet->cut->dont_fragment,
	};
	struct fragment_plan plan;
	uint32_t filled = 0;
	bool has_begun = false;

	if (!fragment_plan_make_cut(&plan, sender->family, MTU_OF_ANYTHING, packet->length,
				    packet->cut->piece_bytes))
		return -EMSGSIZE;
	facts.identification = next_identification(sender);
	memcpy(facts.destination, destination->address.bytes, sizeof(facts.destination));
	if (sender->family == 4)
		sender->name4 = name_of_ip4(&destination->address);
	else
		sender->name6 = name_of_ip6(&destination->address, sender->flow_label);
	if (sender->family == 6 && plan.count == 1)
		return send_whole6(sender, packet);
	if (sender->family == 6)
		finish_checksum(destination, packet);
	for (uint32_t place = 0; place < plan.count; place++) {
		struct fragment fragment;
		int status;

		if (!fragment_at(&plan,
				 fragment_cut_index(packet->cut->order, plan.count, place),
				 &fragment))
			return -EINVAL;
		fill_message(sender, filled++, packet, &fragment, &facts);
		if (filled < TRANSPORT_BATCH && place + 1 < plan.count)
			continue;
		status = send_messages(sender, filled, has_begun);
		if (status < 0)
			return status;
		has_begun = true;
		filled = 0;
	}
	return 1;
}
