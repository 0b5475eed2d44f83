/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opening of a socket transport: options, source, identifier, destinations, and the arrays of
 * message headers, which are linked to their vectors, names and control buffers once and for
 * all. How packets then move is in transport_socket_packets.c.
 */
#include "os/transport_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "os/socket_options.h"
#include "os/transport_socket_internal.h"

#define DESTINATIONS_MAX (UINT32_C(1) << 24)

/* ---- addresses ---- */

static union socket_address to_socket_address(const struct transport_socket *socket,
					      const struct address *address, uint16_t port)
{
	union socket_address result;

	memset(&result, 0, sizeof(result));
	if (socket->family == 4) {
		result.ip4.sin_family = AF_INET;
		result.ip4.sin_port = htons(port);
		memcpy(&result.ip4.sin_addr, address->bytes, sizeof(result.ip4.sin_addr));
	} else {
		result.ip6.sin6_family = AF_INET6;
		result.ip6.sin6_port = htons(port);
		result.ip6.sin6_scope_id = address->scope_id;
		memcpy(&result.ip6.sin6_addr, address->bytes, sizeof(result.ip6.sin6_addr));
	}
	return result;
}

int transport_socket_add_destination(struct transport *transport, const struct address *address,
				     struct error *error)
{
	struct transport_socket *socket = transport->context;
	union socket_address *entry;

	if (address->family != socket->family)
		return error_set(error, ERROR_INTERNAL, "a destination of another family");
	if (socket->fragments != NULL) {
		int status = fragment_sender_add_destination(socket->fragments, address, error);

		if (status < 0)
			return status;
	}
	if (socket->destination_count == socket->destination_room) {
		uint64_t room = max_u64(16, socket->destination_room * UINT64_C(2));
		union socket_address *grown = NULL;

		if (room <= DESTINATIONS_MAX)
			grown = realloc(socket->destinations, (size_t)room * sizeof(*grown));

		if (grown == NULL)
			return error_set(error, ERROR_NO_MEMORY, "no memory for %u destinations",
					 socket->destination_count + 1);
		socket->destinations = grown;
		socket->destination_room = (uint32_t)room;
	}
	entry = &socket->destinations[socket->destination_count];
	*entry = to_socket_address(socket, address, 0);
	if (socket->family == 6 && socket->flow_label >= 0) {
		entry->ip6.sin6_flowinfo = htonl((uint32_t)socket->flow_label);
		if (socket->flow_label > 0)
			socket_options_claim_flow_label(socket->descriptor, address->bytes,
							(uint32_t)socket->flow_label);
	}
	return (int)socket->destination_count++;
}

/* ---- opening and closing ---- */

static int bind_socket(struct transport_socket *socket, const struct transport_settings *settings,
		       uint16_t identifier, struct error *error)
{
	bool has_source = settings->source.family != 0;
	union socket_address own;
	char text[ADDRESS_TEXT_LENGTH];

	if (socket->is_raw && !has_source)
		return 0;
	own = to_socket_address(socket, &settings->source, identifier);
	if (bind(socket->descriptor, &own.any, socket->address_bytes) == 0)
		return 0;
	if (errno == EADDRINUSE && identifier != 0)
		return error_set(error, ERROR_INVALID,
				 "identifier %u (-e) is in use by another ping socket", identifier);
	if (errno == EADDRNOTAVAIL && has_source)
		return error_set(error, ERROR_NOT_FOUND, "%s (-I) is not an address of this host",
				 address_text(&settings->source, text));
	return error_set_system(error, errno, "cannot bind to %s",
				has_source ? address_text(&settings->source, text)
					   : "an identifier");
}

/* The identifier that the kernel put into the place of the port. */
static int read_identifier(const struct transport_socket *socket, uint16_t *identifier,
			   struct error *error)
{
	union socket_address own;
	socklen_t length = sizeof(own);

	memset(&own, 0, sizeof(own));
	if (getsockname(socket->descriptor, &own.any, &length) != 0)
		return error_set_system(error, errno,
					"cannot read the identifier of a ping socket");
	*identifier = ntohs(socket->family == 4 ? own.ip4.sin_port : own.ip6.sin6_port);
	return 0;
}

static void link_headers(struct transport_socket *socket)
{
	for (size_t i = 0; i < TRANSPORT_BATCH; i++) {
		struct msghdr *out = &socket->send_headers[i].msg_hdr;
		struct msghdr *in = &socket->receive_headers[i].msg_hdr;

		out->msg_iov = &socket->send_vectors[i];
		out->msg_iovlen = 1;
		out->msg_namelen = socket->address_bytes;
		in->msg_iov = &socket->receive_vectors[i];
		in->msg_iovlen = 1;
		in->msg_name = &socket->receive_names[i];
		in->msg_namelen = sizeof(socket->receive_names[i]);
		in->msg_control = socket->controls[i];
		in->msg_controllen = CONTROL_MESSAGE_BYTES;
	}
}

int transport_socket_open(struct transport *transport, const struct transport_settings *settings,
			  int descriptor, bool is_raw, uint16_t bind_identifier,
			  struct error *error)
{
	struct transport_socket *socket = calloc(1, sizeof(*socket));
	struct socket_grants grants = {0};
	int result;

	if (socket == NULL) {
		(void)close(descriptor);
		return error_set(error, ERROR_NO_MEMORY, "no memory for the packet headers");
	}
	socket->descriptor = descriptor;
	socket->family = settings->family;
	socket->is_raw = is_raw;
	socket->errors_suspected = true;
	socket->clock = settings->clock;
	socket->real_time = settings->real_time;
	socket->flow_label = settings->configuration->flow_label;
	socket->address_bytes =
		settings->family == 4 ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
	link_headers(socket);
	transport_socket_queue_init(socket);
	transport->context = socket;
	transport->identifier = settings->identifier;

	result = socket_options_apply(descriptor, settings, is_raw, &grants, error);
	if (result == 0)
		result = bind_socket(socket, settings, bind_identifier, error);
	if (result == 0 && !is_raw)
		result = read_identifier(socket, &transport->identifier, error);
	if (result < 0) {
		transport_socket_close(transport);
		return result;
	}
	/* What the filter of the set-up dropped is none of ours: the count starts here. */
	(void)socket_options_drops(descriptor, &socket->last_drops);
	transport_socket_stamps_init(socket, grants.send_stamps, grants.stamped_packets);
	transport->sends_stamps = grants.send_stamps != 0;
	transport->receive_buffer_bytes = grants.receive_buffer_bytes;
	transport->receive_buffer_holds = grants.receive_buffer_holds;
	transport->receive_buffer_is_enough = grants.receive_buffer_is_enough;
	return 0;
}

int transport_socket_open_fragments(struct transport *transport,
				    const struct transport_settings *settings,
				    struct error *error)
{
	struct transport_socket *socket = transport->context;
	int status = fragment_sender_open(&socket->fragments, settings->fragments, settings->whole,
					  settings, error);

	/* Pieces leave by another socket than the one whose stamps are read. */
	transport->sends_stamps = false;
	if (status < 0)
		transport_socket_close(transport);
	return status;
}

void transport_socket_close(struct transport *transport)
{
	struct transport_socket *socket = transport->context;

	if (socket == NULL)
		return;
	(void)close(socket->descriptor);
	fragment_sender_close(socket->fragments);
	free(socket->stamps.counted_ids);
	free(socket->destinations);
	free(socket);
	transport->context = NULL;
}

int transport_socket_descriptor(const struct transport *transport)
{
	const struct transport_socket *socket = transport->context;

	return socket->descriptor;
}
