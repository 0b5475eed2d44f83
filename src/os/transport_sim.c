/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The simulated transport: a network in memory on virtual time. What happens to packets is in
 * simulated_path.c; here is the row, and time. Time moves only by what a send costs and by
 * waiting, so a run of hours takes seconds, and the same seed gives the same bytes.
 *
 * Transports of both families in one run share a waiter, since time must not jump over an arrival
 * at the other one.
 */
#include "os/transport.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "os/simulated_path.h"
#include "os/simulated_stamps.h"
#include "os/waiter.h"

#define FAMILIES_MAX 2u
#define WAIT_NS NANOSECONDS_PER_MICROSECOND /* a wait that ends at once takes */

struct simulated {
	struct network *network;
	struct simulated_path path;
	bool refuses_long; /* path-MTU mode in which a datagram above the MTU is an error */
	bool receive_stamps;
	bool send_stamps;
	struct simulated_stamps stamps;
	struct address *destinations;
	uint32_t destination_count;
};

/* What the transports of one run share. */
struct network {
	int64_t *now_ns;
	struct waiter *installed;
	struct waiter previous; /* to be put back */
	struct simulated *members[FAMILIES_MAX];
};

/* ---- waiting ---- */

/*
 * Time jumps to the next arrival of a packet or a stamp, but not past until_ns; stamps that nobody
 * has taken end the wait at once, as an error queue does. If nothing will ever come, neither an
 * arrival nor a deadline, only a signal can end the wait: then this sleeps as any process would.
 */
static void simulated_wait(void *context, const int *descriptors, uint32_t count, int64_t until_ns,
			   bool precise)
{
	const struct network *network = context;
	struct pollfd polled[WAITER_DESCRIPTORS_MAX];
	int64_t pending_ns = TIME_NEVER_NS;
	nfds_t used = 0;

	(void)precise;
	for (size_t i = 0; i < FAMILIES_MAX; i++) {
		const struct simulated *member = network->members[i];

		if (member == NULL)
			continue;
		pending_ns = min_i64(pending_ns, simulated_path_next(&member->path));
		pending_ns = min_i64(pending_ns, simulated_stamps_next(&member->stamps));
	}
	/* What is not taken ends every wait at once; but whoever leaves it there for ever must not
	 * stop the clock. */
	if (pending_ns <= *network->now_ns)
		pending_ns = *network->now_ns + WAIT_NS;
	until_ns = min_i64(until_ns, pending_ns);
	if (until_ns != TIME_NEVER_NS) {
		*network->now_ns = max_i64(*network->now_ns, until_ns);
		return;
	}
	for (uint32_t i = 0; i < count && used < WAITER_DESCRIPTORS_MAX; i++)
		polled[used++] = (struct pollfd){.fd = descriptors[i], .events = POLLIN};
	(void)poll(polled, used, -1);
}

/* The network of this run: that of the transport opened before, or a new one. */
static struct network *join_network(const struct transport_settings *settings,
				    struct simulated *simulated)
{
	struct network *network = settings->waiter->context;

	if (settings->waiter->wait != simulated_wait) {
		network = calloc(1, sizeof(*network));
		if (network == NULL)
			return NULL;
		network->now_ns = settings->clock->context;
		network->installed = settings->waiter;
		network->previous = *settings->waiter;
		network->members[0] = simulated;
		*settings->waiter = (struct waiter){.wait = simulated_wait, .context = network};
		return network;
	}
	for (size_t i = 0; i < FAMILIES_MAX; i++) {
		if (network->members[i] == NULL) {
			network->members[i] = simulated;
			return network;
		}
	}
	return NULL;
}

/* The last to leave puts the waiter back that was there before. */
static void leave_network(struct network *network, const struct simulated *simulated)
{
	bool is_empty = true;

	for (size_t i = 0; i < FAMILIES_MAX; i++) {
		if (network->members[i] == simulated)
			network->members[i] = NULL;
		is_empty = is_empty && network->members[i] == NULL;
	}
	if (is_empty) {
		*network->installed = network->previous;
		free(network);
	}
}

/* ---- the hooks ---- */

static unsigned simulated_flags(uint8_t family)
{
	return TRANSPORT_SIMULATED | (family == 6 ? TRANSPORT_VERIFIES_CHECKSUM : 0u);
}

static void simulated_close(struct transport *transport)
{
	struct simulated *simulated = transport->context;

	transport->context = NULL;
	if (simulated == NULL)
		return;
	if (simulated->network != NULL)
		leave_network(simulated->network, simulated);
	simulated_path_close(&simulated->path);
	simulated_stamps_close(&simulated->stamps);
	free(simulated->destinations);
	free(simulated);
}

/* descriptor is none: the row needs no privilege. */
static int simulated_open(struct transport *transport, const struct transport_settings *settings,
			  int descriptor, struct error *error)
{
	const struct configuration *configuration = settings->configuration;
	enum configuration_path_mtu mode = configuration->path_mtu;
	struct simulated *simulated;
	int result;

	(void)descriptor;
	if (!settings->clock->row->is_simulated || settings->clock->context == NULL)
		return error_set(error, ERROR_INTERNAL,
				 "the simulated network runs on simulated time only");
	simulated = calloc(1, sizeof(*simulated));
	if (simulated == NULL)
		return error_set_system(error, ENOMEM, "cannot open the simulated network");
	transport->context = simulated;
	result = simulated_path_open(&simulated->path, settings->family, &configuration->simulation,
				     settings->packet_bytes, clock_now(settings->clock), error);
	simulated->receive_stamps = configuration->stamps != STAMPS_USER;
	simulated->send_stamps = configuration->stamps == STAMPS_SPLIT;
	if (result == 0 && simulated->send_stamps)
		result = simulated_stamps_open(&simulated->stamps,
					       configuration->simulation.stamp_loss,
					       configuration->simulation.seed, error);
	if (result == 0) {
		simulated->network = join_network(settings, simulated);
		if (simulated->network == NULL)
			result = error_set_system(error, ENOMEM,
						  "cannot open the simulated network");
	}
	if (result < 0) {
		simulated_close(transport);
		return result;
	}
	simulated->refuses_long = mode == PATH_MTU_DO || mode == PATH_MTU_PROBE ||
				  mode == PATH_MTU_INTERFACE;
	transport->identifier = settings->identifier;
	transport->receive_buffer_bytes = 0;
	transport->receive_buffer_holds = UINT32_MAX;
	transport->receive_buffer_is_enough = true;
	transport->sends_stamps = simulated->send_stamps;
	return 0;
}

static int simulated_add_destination(struct transport *transport, const struct address *address,
				     struct error *error)
{
	struct simulated *simulated = transport->context;
	uint32_t count = simulated->destination_count;

	/* Room doubles whenever the count is a power of two. */
	if ((count & (count - 1)) == 0) {
		size_t room = count == 0 ? 1 : 2 * (size_t)count;
		void *grown = NULL;

		if (count <= INT32_MAX / 2)
			grown = realloc(simulated->destinations,
					room * sizeof(*simulated->destinations));
		if (grown == NULL)
			return error_set_system(error, ENOMEM, "cannot remember a target");
		simulated->destinations = grown;
	}
	simulated->destinations[count] = *address;
	simulated->destination_count++;
	return (int)count;
}

static int simulated_send(struct transport *transport, const struct transport_outgoing *packets,
			  uint32_t count)
{
	struct simulated *simulated = transport->context;
	int64_t *now_ns = simulated->network->now_ns;

	count = (uint32_t)min_u64(count, TRANSPORT_BATCH);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t fragments = simulated_path_fragments(&simulated->path, packets[i].length);
		int64_t leaves_ns = *now_ns;

		/* A failure takes time, too: whoever tries for ever must not stop the clock. */
		*now_ns += simulated->path.settings.send_ns;
		if (fragments == 0 || (fragments > 1 && simulated->refuses_long))
			return i > 0 ? (int)i : -EMSGSIZE;
		simulated_path_send(&simulated->path, leaves_ns, &packets[i]);
		if (simulated->send_stamps && packets[i].wants_stamps)
			simulated_stamps_put(&simulated->stamps, packets[i].stamp_id, leaves_ns,
					     leaves_ns + simulated->path.settings.queue_ns);
	}
	return (int)count;
}

static int simulated_receive(struct transport *transport, struct transport_incoming *packets,
			     uint32_t count, int64_t *now_ns)
{
	struct simulated *simulated = transport->context;
	uint32_t received = 0;
	uint32_t destination;

	*now_ns = *simulated->network->now_ns;
	count = (uint32_t)min_u64(count, TRANSPORT_BATCH);
	while (received < count && simulated_path_receive(&simulated->path, *now_ns,
							  &packets[received], &destination)) {
		packets[received].source = simulated->destinations[destination];
		if (!simulated->receive_stamps) {
			packets[received].stamp_ns = INT64_MIN;
			packets[received].stamp_real_ns = INT64_MIN;
		}
		received++;
	}
	return (int)received;
}

static int simulated_receive_stamps(struct transport *transport, struct transport_stamp *stamps,
				    uint32_t count)
{
	struct simulated *simulated = transport->context;

	return (int)simulated_stamps_take(&simulated->stamps, *simulated->network->now_ns, stamps,
					  count);
}

static int simulated_descriptor(const struct transport *transport)
{
	(void)transport;
	return -1;
}

static uint64_t simulated_drops(struct transport *transport)
{
	const struct simulated *simulated = transport->context;

	return simulated->path.drops;
}

const struct transport_row transport_sim = {
	.name = "sim",
	.summary = "a network in memory on virtual time, for trying things out (--sim)",
	.flags = simulated_flags,
	.open = simulated_open,
	.add_destination = simulated_add_destination,
	.send = simulated_send,
	.receive = simulated_receive,
	.receive_error = NULL,
	.receive_stamps = simulated_receive_stamps,
	.descriptor = simulated_descriptor,
	.drops = simulated_drops,
	.close = simulated_close,
};
