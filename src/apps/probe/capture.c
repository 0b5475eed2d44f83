/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --capture-fragments: the packet socket is put on the interface that the first target is reached
 * by. Targets behind other interfaces are probed like all, but their fragments are not seen, which
 * the report says.
 */
#include "apps/probe/probe.h"

#include <string.h>
#include <unistd.h>

#include "core/result_capture.h"

#define ECHO_HEADER_BYTES 8u

/* The interface, and how many targets it is that of. NULL: not known. */
static const char *find_interface(const struct probe *probe)
{
	for (uint32_t i = 0; i < probe->hosts.count; i++) {
		if (probe->targets[i].usable)
			return probe->result.targets[i].interface[0] != '\0'
				       ? probe->result.targets[i].interface
				       : NULL;
	}
	return NULL;
}

static void describe_requests(const struct probe *probe, struct fragment_trains_settings *settings)
{
	const struct configuration *configuration = probe_configuration(probe);

	if (!configuration_has_series(configuration))
		settings->datagram_bytes = configuration->payload_bytes + ECHO_HEADER_BYTES;
	for (uint32_t i = 0; i < probe->hosts.count; i++) {
		const struct engine_target *target = &probe->targets[i];

		if (!target->usable)
			continue;
		settings->identifiers[target->address.family == 6] =
			probe->transports[target->transport].identifier;
		if (probe->usable_count == 1 && !target->is_multicast)
			settings->peer = target->address;
	}
}

int probe_open_capture(struct probe *probe)
{
	struct fragment_capture_settings settings = {.interface = find_interface(probe),
						     .real_time = &probe->real_time};
	struct error error;
	int descriptor;

	if (!probe_configuration(probe)->capture_fragments)
		return PROBE_CONTINUE;
	descriptor = privilege_take_socket(&probe->privilege, PRIVILEGE_CAPTURE);
	if (descriptor < 0) {
		(void)error_set_system(&error, probe->privilege.raw_errno[PRIVILEGE_CAPTURE],
				       "--capture-fragments: no packet socket: run this as root or "
				       "install it with CAP_NET_RAW");
		return probe_fail(probe, PROBE_UNUSABLE, "%s", error.text);
	}
	if (settings.interface != NULL)
		settings.interface_index = route_interface_index(settings.interface);
	if (settings.interface_index == 0) {
		(void)close(descriptor);
		return probe_fail(probe, PROBE_UNUSABLE,
				  "--capture-fragments: the interface of the way to the first host "
				  "is not known");
	}
	describe_requests(probe, &settings.trains);
	if (fragment_capture_open(&probe->capture, descriptor, &settings, &error) < 0)
		return probe_fail(probe, PROBE_UNUSABLE, "--capture-fragments: %s", error.text);
	return PROBE_CONTINUE;
}

void probe_end_capture(struct probe *probe)
{
	struct result *result = &probe->result;
	struct result_capture *capture;
	bool was_cut_short = result->ending != ENDING_COMPLETE;

	if (probe->capture == NULL)
		return;
	/* At the end of a run that was not cut short nothing is waited for any more. */
	capture = fragment_capture_finish(probe->capture, clock_now(&probe->clock),
					  was_cut_short ? probe_configuration(probe)->timeout_ns
							: 0);
	for (uint32_t i = 0; i < probe->hosts.count; i++) {
		if (!probe->targets[i].usable)
			continue;
		if (strcmp(result->targets[i].interface, capture->interface) == 0)
			capture->targets++;
		else
			capture->targets_left_out++;
	}
	result->capture = capture;
}
