/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which targets there are. One bad name among good ones is that target's misfortune: it is
 * reported and the others are measured. What would make the run another one than was asked for
 * (the wrong interface, many hosts instead of one) stops it before the first packet.
 */
#include "apps/probe/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/probe/names.h"
#include "apps/probe/shown.h"
#include "os/signals.h"

#define ICMP_HEADER_BYTES 8u

/* Gives a target up before the run; the sentence, which names it, is said once. */
static void give_up_target(struct probe *probe, uint32_t index, const char *why)
{
	struct result_target *facts = &probe->result.targets[index];

	probe->targets[index].usable = false;
	(void)snprintf(facts->error, sizeof(facts->error), "%s", why);
	console_say("%s", why);
}

static void start_facts(struct probe *probe, uint32_t index, const struct address *address)
{
	const struct configuration *configuration = probe_configuration(probe);
	struct result_target *facts = &probe->result.targets[index];

	facts->payload_bytes = configuration->payload_bytes;
	facts->has_cut = configuration->fragment_size > 0;
	facts->cut = (struct fragment_cut){.piece_bytes = configuration->fragment_size,
					   .order = configuration->fragment_order};
	facts->family = address->family;
	facts->ip_overhead_bytes = ICMP_HEADER_BYTES + (address->family == 6 ? 40u : 20u);
	facts->is_bound_to_interface = probe->way.device[0] != '\0';
	facts->is_bound_to_source =
		probe->way.sources[way_family_index(address->family)].family != 0;
	(void)address_text(address, facts->address);
}

/* Whether --fragment-size fits the way: true, or a sentence. */
static bool fits(const struct probe *probe, const struct result_target *facts, struct error *error)
{
	uint32_t piece = probe_configuration(probe)->fragment_size;
	uint32_t least = facts->family == 4 ? FRAGMENT_CUT_MIN_IP4 : FRAGMENT_CUT_MIN_IP6;
	uint32_t most = fragment_cut_max(facts->family, facts->mtu);

	if (piece == 0 || (piece >= least && piece <= most))
		return true;
	(void)error_set(error, ERROR_INVALID,
			"--fragment-size %u: %u to %u bytes fit into the fragments of IPv%u at an "
			"MTU of %u",
			piece, least, most, (unsigned)facts->family, facts->mtu);
	return false;
}

/*
 * What was learned of a path earlier, by whatever program, stays in force for ten minutes: then the
 * same command line does not send what it sent before.
 */
static void warn_of_learned_mtu(const struct probe *probe, const struct result_target *facts)
{
	enum configuration_path_mtu mode = probe_configuration(probe)->path_mtu;
	bool is_obeyed = mode == PATH_MTU_WANT || mode == PATH_MTU_DONT || mode == PATH_MTU_DO ||
			 (mode == PATH_MTU_DEFAULT && facts->family == 6);
	char name[SHOWN_LENGTH];

	if (facts->path_mtu == 0 || facts->path_mtu >= facts->mtu)
		return;
	console_say("note: this host takes the path MTU to %s for %u bytes, the interface has %u; "
		    "this run %s (forget what was learned: ip%s route flush cache)",
		    shown(facts->name, name), facts->path_mtu, facts->mtu,
		    is_obeyed ? "goes by it" : "does not go by it",
		    facts->family == 6 ? " -6" : "");
}

/* Takes an answer into the list of targets: PROBE_CONTINUE, or the run must not start. */
static int take_answer(struct probe *probe, uint32_t index, const struct names_answer *answer)
{
	struct engine_target *target = &probe->targets[index];
	struct route route;
	struct error error;
	int status;

	if (answer->code < 0) {
		give_up_target(probe, index, answer->text);
		return PROBE_CONTINUE;
	}
	start_facts(probe, index, &answer->address);
	status = way_look_up(&probe->way, probe_configuration(probe), probe->is_simulated,
			     &answer->address, &probe->result.targets[index], &route, &error);
	if (status == -ERROR_NOT_FOUND) {
		give_up_target(probe, index, error.text);
		return PROBE_CONTINUE;
	}
	if (status < 0)
		return probe_fail(probe, PROBE_UNUSABLE, "%s", error.text);
	if (!fits(probe, &probe->result.targets[index], &error))
		return probe_fail(probe, PROBE_UNUSABLE, "%s", error.text);
	warn_of_learned_mtu(probe, &probe->result.targets[index]);
	target->address = answer->address;
	target->usable = true;
	target->is_multicast = route.is_multicast;
	target->host = index;
	target->mtu = probe->result.targets[index].mtu;
	if (probe->usable_count++ == 0) {
		memcpy(probe->interface, route.interface, sizeof(probe->interface));
		memcpy(probe->driver, route.driver, sizeof(probe->driver));
	}
	probe->responder_is_here =
		probe->responder_is_here || route.is_local || route.is_virtual_pair;
	return PROBE_CONTINUE;
}

/*
 * Requests without a tag (fewer than 16 bytes) are told apart by source and sequence alone, so
 * an address may be there only once. Returns the second of two that are the same, or count.
 */
static uint32_t find_duplicate(const struct engine_target *targets, uint32_t count,
			       uint32_t *places, uint32_t mask, uint32_t *first)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = address_hash(&targets[i].address) & mask;

		if (!targets[i].usable)
			continue;
		for (; places[at] != 0; at = (at + 1) & mask) {
			*first = places[at] - 1;
			if (address_equal(&targets[*first].address, &targets[i].address))
				return i;
		}
		places[at] = i + 1;
	}
	return count;
}

static int check_duplicates(struct probe *probe)
{
	uint32_t count = probe->result.target_count;
	char one[SHOWN_LENGTH], two[SHOWN_LENGTH];
	uint32_t *places;
	uint32_t size = 2;
	uint32_t first = 0;
	uint32_t second;

	if (probe_configuration(probe)->payload_bytes >= PAYLOAD_TAGGED_BYTES)
		return PROBE_CONTINUE;
	while (size < 2 * count)
		size *= 2;
	places = calloc(size, sizeof(*places));
	if (places == NULL)
		return probe_fail(probe, PROBE_UNUSABLE, "no memory for the list of targets");
	second = find_duplicate(probe->targets, count, places, size - 1, &first);
	free(places);
	if (second == count)
		return PROBE_CONTINUE;
	return probe_fail(
		probe, PROBE_UNUSABLE,
		"-s %u: %s and %s are the same address, and replies to requests of fewer than "
		"%u bytes could not be told apart: name it once, or use -s %u",
		probe_configuration(probe)->payload_bytes, shown(probe->targets[first].name, one),
		shown(probe->targets[second].name, two), PAYLOAD_TAGGED_BYTES,
		PAYLOAD_TAGGED_BYTES);
}

static int allocate(struct probe *probe)
{
	uint32_t count = probe->hosts.count;

	probe->targets = calloc(count, sizeof(*probe->targets));
	probe->result.targets = calloc(count, sizeof(*probe->result.targets));
	if (probe->targets == NULL || probe->result.targets == NULL)
		return probe_fail(probe, PROBE_UNUSABLE, "no memory for %u targets", count);
	probe->result.target_count = count;
	for (uint32_t i = 0; i < count; i++) {
		probe->targets[i].name = probe->hosts.names[i];
		probe->result.targets[i].name = probe->hosts.names[i];
	}
	return PROBE_CONTINUE;
}

static int take_answers(struct probe *probe, const struct names_answer *answers)
{
	int status = PROBE_CONTINUE;

	for (uint32_t i = 0; i < probe->hosts.count && status == PROBE_CONTINUE; i++)
		status = take_answer(probe, i, &answers[i]);
	if (status != PROBE_CONTINUE || probe->usable_count > 0)
		return status;
	/* Each has had its line. */
	probe->result.ending = ENDING_FAULT;
	(void)snprintf(probe->result.fault, sizeof(probe->result.fault),
		       "no target has an address that can be used");
	if (signals_stop_requested() == 0)
		return probe_write(probe, PROBE_UNUSABLE, false);
	probe->result.ending = ENDING_INTERRUPTED;
	return probe_write(probe, PROBE_UNANSWERED, true);
}

int probe_find_targets(struct probe *probe)
{
	const struct configuration *configuration = probe_configuration(probe);
	uint32_t count = probe->hosts.count;
	struct names_answer *answers;
	struct error error;
	int status;

	if (way_open(&probe->way, configuration, &error) < 0)
		return probe_fail(probe, PROBE_UNUSABLE, "%s", error.text);
	status = allocate(probe);
	if (status != PROBE_CONTINUE)
		return status;
	answers = calloc(count, sizeof(*answers));
	if (answers == NULL)
		return probe_fail(probe, PROBE_UNUSABLE, "no memory for %u addresses", count);
	if (names_resolve(probe->hosts.names, count, configuration->family,
			  way_default_scope(&probe->way), &probe->privilege, answers, &error) < 0)
		status = probe_fail(probe, PROBE_UNUSABLE, "%s", error.text);
	else
		status = take_answers(probe, answers);
	free(answers);
	return status == PROBE_CONTINUE ? check_duplicates(probe) : status;
}
