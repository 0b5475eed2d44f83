/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The means of a run: a clock, one transport for each family that a target needs, and the engine
 * over them. A family that no target needs is never opened, and nobody hears of it. For the
 * simulated network everything that differs from run to run (key, identifier, time) is fixed, so
 * that the same command gives the same bytes.
 */
#include "apps/probe/probe.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "core/clock_quality.h"

#define SIMULATED_IDENTIFIER 1u

static int open_clock(struct probe *probe)
{
	struct configuration *configuration = &probe->options.configuration;
	struct result_clock *facts = &probe->result.clock;
	struct error error;

	if (probe->is_simulated) {
		probe->clock = (struct clock_source){&clock_simulated, &probe->simulated_ns};
		facts->source = clock_simulated.name;
		(void)snprintf(facts->reason, sizeof(facts->reason),
			       "the virtual time of the simulated network");
	} else if (clock_open(&probe->clock, clock_rows, configuration->clock, facts, &error) < 0) {
		return probe_fail(probe, PROBE_UNUSABLE, "--clock: %s", error.text);
	}
	/* The kernel's stamps cannot be placed on a clock that steps over whole round trips. */
	if (facts->is_coarse)
		configuration->stamps = STAMPS_USER;
	real_time_open(&probe->real_time, &probe->clock);
	probe->has_real_time = true;
	probe->waiter = waiter_system(&probe->clock);
	waiter_sharpen();
	return PROBE_CONTINUE;
}

/* Random bytes from the kernel; in a simulated run always the same. */
static int draw(const struct probe *probe, void *bytes, size_t count)
{
	if (probe->is_simulated)
		memset(bytes, 0x5a, count);
	else if (getrandom(bytes, count, 0) != (ssize_t)count)
		return -1;
	return 0;
}

static int make_plan(struct probe *probe)
{
	const struct configuration *configuration = probe_configuration(probe);
	struct payload_plan *plan = &probe->plan;

	probe->cut = (struct fragment_cut){.piece_bytes = configuration->fragment_size,
					   .order = configuration->fragment_order};
	plan->bytes = configuration->payload_bytes;
	plan->pattern = configuration->pattern;
	plan->fixed_length = configuration->fixed_pattern_length;
	memcpy(plan->fixed, configuration->fixed_pattern, sizeof(plan->fixed));
	if (draw(probe, plan->key, sizeof(plan->key)) < 0)
		return probe_fail(probe, PROBE_UNUSABLE, "the kernel gives no random key: %s",
				  strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
	payload_plan_init(plan);
	return PROBE_CONTINUE;
}

static uint16_t choose_identifier(const struct probe *probe)
{
	uint16_t identifier = SIMULATED_IDENTIFIER;

	if (probe_configuration(probe)->identifier >= 0)
		return (uint16_t)probe_configuration(probe)->identifier;
	if (!probe->is_simulated && draw(probe, &identifier, sizeof(identifier)) < 0)
		identifier = (uint16_t)probe->plan.key[0];
	return identifier;
}

uint32_t probe_outstanding(const struct probe *probe)
{
	const struct configuration *configuration = probe_configuration(probe);
	uint64_t slots = max_u64(max_u64(configuration->depth, configuration->preload), 1);
	int64_t interval_ns = configuration_interval_ns(configuration, probe->hosts.count);

	if (strcmp(configuration_mode(configuration), "interval") == 0)
		slots += (uint64_t)(configuration->timeout_ns / interval_ns);
	if (configuration->count > 0)
		slots = min_u64(slots, configuration->count);
	return (uint32_t)min_u64(slots * probe->hosts.count, UINT32_MAX);
}

/* The row for a family, and the raw socket that it takes over (-1: none). */
static const struct transport_row *choose_row(struct probe *probe, uint8_t family, int *descriptor)
{
	const char *name = probe_configuration(probe)->transport;
	const struct transport_row *row = transport_find(name);
	const char *reason;

	*descriptor = -1;
	if (row != NULL && (row->flags(family) & TRANSPORT_NEEDS_PRIVILEGE) == 0)
		return row;
	*descriptor = privilege_take_socket(&probe->privilege,
					    family == 6 ? PRIVILEGE_ICMP6 : PRIVILEGE_ICMP4);
	if (row != NULL || *descriptor >= 0)
		return row != NULL ? row : &transport_raw;
	/* A host without the family has no ping socket for it either. */
	if (probe->privilege.raw_errno[family == 6] == EAFNOSUPPORT)
		return &transport_raw;
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): no thread */
	reason = strerror(probe->privilege.raw_errno[family == 6]);
	(void)snprintf(probe->result.transport_note, sizeof(probe->result.transport_note),
		       "no raw socket (%s): ping socket instead", reason);
	return &transport_ping;
}

/* Why a family has no transport, in one sentence for all its targets. */
static void explain(const struct probe *probe, uint8_t family, const struct transport_row *row,
		    struct error *error)
{
	int raw_errno = probe->privilege.raw_errno[family == 6];

	if (raw_errno == EAFNOSUPPORT || error->system_errno == EAFNOSUPPORT)
		(void)error_set(error, ERROR_UNSUPPORTED, "this host has no IPv%u",
				(unsigned)family);
	else if (row == &transport_raw && raw_errno != 0)
		(void)error_set_system(
			error, raw_errno,
			"no raw socket for IPv%u: run this as root or install it with "
			"CAP_NET_RAW (setcap cap_net_raw=p), or use --transport ping",
			(unsigned)family);
}

/* For fragments made by hand, which no other transport than raw can send. */
static int take_fragment_sockets(struct probe *probe, uint8_t family,
				 struct transport_settings *settings, struct error *error)
{
	struct privilege *privilege = &probe->privilege;
	enum privilege_socket which = family == 6 ? PRIVILEGE_FRAGMENTS6 : PRIVILEGE_FRAGMENTS4;

	settings->fragments = privilege_take_socket(privilege, which);
	settings->whole =
		family == 6 ? privilege_take_socket(privilege, PRIVILEGE_WHOLE6) : -1;
	settings->has_fragments = settings->fragments >= 0 && (family == 4 || settings->whole >= 0);
	if (settings->has_fragments)
		return 0;
	return error_set_system(error, privilege->raw_errno[which],
				"no socket for fragments made by hand: run this as root or install "
				"it with CAP_NET_RAW (setcap cap_net_raw=p)");
}

static int open_transport(struct probe *probe, uint8_t family, uint16_t identifier, bool has_many,
			  struct transport *transport, struct error *error)
{
	const struct configuration *configuration = probe_configuration(probe);
	int descriptor;
	const struct transport_row *row = choose_row(probe, family, &descriptor);
	struct transport_settings settings = {
		.family = family,
		.identifier = identifier,
		.configuration = configuration,
		.packet_bytes = configuration->payload_bytes + 8,
		.outstanding = probe_outstanding(probe),
		.source = probe->way.sources[way_family_index(family)],
		.allow_broadcast = configuration->allow_broadcast && has_many,
		.clock = &probe->clock,
		.real_time = &probe->real_time,
		.waiter = &probe->waiter,
	};
	int status;

	memcpy(settings.device, probe->way.device, sizeof(settings.device));
	if (configuration_makes_fragments(configuration) &&
	    take_fragment_sockets(probe, family, &settings, error) < 0) {
		if (descriptor >= 0)
			(void)close(descriptor);
		return -ERROR_PERMISSION;
	}
	*transport = (struct transport){.row = row};
	if (configuration->has_mark && descriptor < 0)
		return error_set(error, ERROR_PERMISSION,
				 "-m: a mark needs a raw socket, and there is none for IPv%u",
				 (unsigned)family);
	if ((row->flags(family) & TRANSPORT_NEEDS_PRIVILEGE) != 0 && descriptor < 0)
		status = error_set(error, ERROR_PERMISSION, "no raw socket for IPv%u",
				   (unsigned)family);
	else
		status = row->open(transport, &settings, descriptor, error);
	if (status < 0)
		explain(probe, family, row, error);
	return status;
}

/* Without its transport a target is reported as one that could not be used. */
static void give_up_family(struct probe *probe, uint8_t family, const struct error *error)
{
	bool was_said = false;

	for (uint32_t i = 0; i < probe->hosts.count; i++) {
		struct engine_target *target = &probe->targets[i];
		struct result_target *facts = &probe->result.targets[i];

		was_said = was_said || strcmp(facts->error, error->text) == 0;
		if (!target->usable || target->address.family != family)
			continue;
		target->usable = false;
		probe->usable_count--;
		(void)snprintf(facts->error, sizeof(facts->error), "%s", error->text);
	}
	/* Both families may fail for the same reason. */
	if (!was_said)
		console_say("%s", error->text);
}

static int add_destinations(struct probe *probe, uint8_t family, struct transport *transport)
{
	const struct configuration *configuration = probe_configuration(probe);
	struct error error;

	for (uint32_t i = 0; i < probe->hosts.count; i++) {
		struct engine_target *target = &probe->targets[i];
		int destination;

		if (!target->usable || target->address.family != family)
			continue;
		destination = transport->row->add_destination(transport, &target->address, &error);
		if (destination < 0)
			return probe_fail(probe, PROBE_UNUSABLE, "%s", error.text);
		target->transport = probe->transport_count;
		if (configuration->fragment_size > 0)
			target->cut = &probe->cut;
		target->destination = (uint32_t)destination;
	}
	return PROBE_CONTINUE;
}

/*
 * Modes that fill their slots at once can fill the socket too, where it could not be enlarged: no
 * more slots then than it holds replies, or the run would measure its own losses.
 */
static void limit_to_buffer(struct probe *probe, const struct transport *transport)
{
	struct configuration *configuration = &probe->options.configuration;
	uint32_t asked = (uint32_t)max_u64(configuration->depth, configuration->preload);
	uint32_t most = (uint32_t)max_u64(transport->receive_buffer_holds / probe->hosts.count, 1);

	if (transport->receive_buffer_is_enough || asked <= most ||
	    strcmp(configuration_mode(configuration), "interval") == 0)
		return;
	configuration->depth = (uint32_t)min_u64(configuration->depth, most);
	configuration->preload = (uint32_t)min_u64(configuration->preload, most);
	console_say("note: %u in flight instead of %u: the receive buffer, %u bytes, holds no more "
		    "replies of %u bytes; more need CAP_NET_ADMIN or a larger net.core.rmem_max",
		    most, asked, transport->receive_buffer_bytes, configuration->payload_bytes);
}

/* Opens what the targets of one family need, if there are any. */
static int open_family(struct probe *probe, uint8_t family, uint16_t identifier)
{
	struct transport *transport = &probe->transports[probe->transport_count];
	bool is_needed = false;
	bool has_many = false;
	struct error error;
	int status;

	for (uint32_t i = 0; i < probe->hosts.count; i++) {
		const struct engine_target *target = &probe->targets[i];

		if (!target->usable || target->address.family != family)
			continue;
		is_needed = true;
		has_many = has_many || target->is_multicast;
	}
	if (!is_needed)
		return PROBE_CONTINUE;
	error_clear(&error);
	if (open_transport(probe, family, identifier, has_many, transport, &error) < 0) {
		give_up_family(probe, family, &error);
		return PROBE_CONTINUE;
	}
	if (probe->result.transport == NULL)
		probe->result.transport = transport->row->name;
	limit_to_buffer(probe, transport);
	status = add_destinations(probe, family, transport);
	probe->transport_count++;
	return status;
}

static int open_transports(struct probe *probe)
{
	uint16_t identifier = choose_identifier(probe);
	int status = open_family(probe, 4, identifier);

	if (status == PROBE_CONTINUE)
		status = open_family(probe, 6, identifier);
	if (status != PROBE_CONTINUE)
		return status;
	if (probe->usable_count == 0) {
		/* The reason has had its line. */
		probe->result.ending = ENDING_FAULT;
		(void)snprintf(probe->result.fault, sizeof(probe->result.fault),
			       "no way to send was found");
		return probe_write(probe, PROBE_UNUSABLE, false);
	}
	if (probe->result.transport_note[0] != '\0' && probe_configuration(probe)->verbose)
		console_say("note: %s", probe->result.transport_note);
	return PROBE_CONTINUE;
}

static int open_engine(struct probe *probe)
{
	const struct configuration *configuration = probe_configuration(probe);
	uint32_t count;
	struct engine_target *rows = probe_rows(probe, &count);
	struct engine_setup setup = {
		.configuration = configuration,
		.clock = &probe->clock,
		.waiter = &probe->waiter,
		.real_time = &probe->real_time,
		.transport_count = probe->transport_count,
		.plan = &probe->plan,
		.targets = rows,
		.target_count = count,
		.series = probe_start_series(probe),
		.allow_harm = configuration->allow_harm,
		.pacer = pacer_find(configuration_mode(configuration)),
		.capture = probe->capture,
		.observer = &probe->console.observer,
		.measurement_starts = probe->is_simulated ? NULL : probe_measurement_starts,
		.context = probe,
	};
	struct error error;

	for (uint32_t i = 0; i < probe->transport_count; i++)
		setup.transports[i] = &probe->transports[i];
	if (engine_open(&probe->engine, &setup, &error) < 0)
		return probe_fail(probe, PROBE_UNUSABLE, "%s", error.text);
	return PROBE_CONTINUE;
}

int probe_open(struct probe *probe)
{
	int status = open_clock(probe);

	if (status == PROBE_CONTINUE)
		status = make_plan(probe);
	if (status == PROBE_CONTINUE)
		status = open_transports(probe);
	if (status == PROBE_CONTINUE)
		status = probe_open_capture(probe);
	if (status != PROBE_CONTINUE)
		return status;
	if (strcmp(probe_configuration(probe)->clock, "auto") == 0 &&
	    clock_needs_trial(&probe->result.clock))
		probe_try_clock(probe);
	console_open(&probe->console, probe_configuration(probe), &probe->clock,
		     &probe->result.clock);
	return open_engine(probe);
}
