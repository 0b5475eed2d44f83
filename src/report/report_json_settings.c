/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Everything that shaped the run, as JSON: what was asked for, and where the run had to settle
 * for something else, what was really in use.
 */
#include "report/json_parts.h"

#include <string.h>

#include "core/flight.h"
#include "core/pacer.h"

static json_t *from_simulation(struct json_document *document, const struct simulation *simulation)
{
	json_t *object = json_object();

	json_put(document, object, "seed", json_from_count(simulation->seed));
	json_put(document, object, "delay_ns", json_integer(simulation->delay_ns));
	json_put(document, object, "jitter_ns", json_integer(simulation->jitter_ns));
	json_put(document, object, "service_ns", json_integer(simulation->service_ns));
	json_put(document, object, "send_ns", json_integer(simulation->send_ns));
	json_put(document, object, "loss", json_from_number(simulation->loss));
	json_put(document, object, "fragment_loss", json_from_number(simulation->fragment_loss));
	json_put(document, object, "reply_fragment_loss",
		 json_from_number(simulation->reply_fragment_loss));
	json_put(document, object, "duplicate", json_from_number(simulation->duplicate));
	json_put(document, object, "reorder", json_from_number(simulation->reorder));
	json_put(document, object, "corrupt", json_from_number(simulation->corrupt));
	json_put(document, object, "drop_every", json_from_count(simulation->drop_every));
	json_put(document, object, "stall_every_ns", json_integer(simulation->stall_every_ns));
	json_put(document, object, "stall_ns", json_integer(simulation->stall_ns));
	json_put(document, object, "mtu", json_integer(simulation->mtu));
	return object;
}

static json_t *from_path_mtu_mode(enum configuration_path_mtu mode)
{
	static const char *const names[] = {
		[PATH_MTU_DEFAULT] = "default", [PATH_MTU_DO] = "do",
		[PATH_MTU_WANT] = "want",	[PATH_MTU_DONT] = "dont",
		[PATH_MTU_PROBE] = "probe",	[PATH_MTU_INTERFACE] = "interface",
		[PATH_MTU_OMIT] = "omit",
	};

	return json_string(names[mode]);
}

/* What was asked for in all, over the targets that could be asked: --rate, or from the interval. */
static json_t *from_asked_rate(const struct result *result)
{
	uint32_t probed = 0;

	for (uint32_t i = 0; i < result->target_count; i++)
		probed += result->targets[i].error[0] == '\0';
	if (result->interval_ns <= 0)
		return json_null();
	if (result->configuration->rate_per_s > 0.0)
		return json_from_number(result->configuration->rate_per_s);
	return json_from_number((double)probed * (double)NANOSECONDS_PER_SECOND /
				(double)result->interval_ns);
}

/* null where none was asked for; of the two ways to say how long, the one that was not used. */
static json_t *from_warmup(struct json_document *document,
			   const struct configuration *configuration)
{
	json_t *warmup;

	if (configuration->warmup_requests == 0 && configuration->warmup_ns == 0)
		return json_null();
	warmup = json_object();
	json_put(document, warmup, "requests",
		 json_from_count_unless_zero(configuration->warmup_requests));
	json_put(document, warmup, "duration_ns",
		 json_from_ns_unless_zero(configuration->warmup_ns));
	return warmup;
}

/* Those really in use; without a transport none are. */
static json_t *from_stamps(const struct result *result)
{
	static const char *const names[] = {
		[STAMPS_USER] = "user", [STAMPS_RX] = "rx", [STAMPS_SPLIT] = "split"};

	return result->transport == NULL ? json_null() : json_string(names[result->stamps]);
}

/* Settings that the schema does not name. */
static void put_own_settings(struct json_document *document, json_t *settings,
			     const struct result *result)
{
	static const char *const patterns[] = {[PAYLOAD_DISTINCT] = "distinct",
					       [PAYLOAD_FIXED] = "fixed",
					       [PAYLOAD_RANDOM] = "random"};
	static const char *const orders[] = {[FRAGMENT_FORWARD] = "forward",
					     [FRAGMENT_REVERSE] = "reverse",
					     [FRAGMENT_ODD_EVEN] = "odd-even"};
	const struct configuration *configuration = result->configuration;
	bool is_simulated = result->transport != NULL && strcmp(result->transport, "sim") == 0;

	json_put(document, settings, "deadline_ns",
		 json_from_ns_unless_zero(configuration->deadline_ns));
	json_put(document, settings, "preload",
		 json_from_count_unless_zero(configuration->preload));
	json_put(document, settings, "give_up_after", json_integer(FLIGHT_GIVE_UP_AFTER));
	json_put(document, settings, "catch_up",
		 result->interval_ns > 0 ? json_integer(pacer_catch_up(result->interval_ns))
					 : json_null());
	json_put(document, settings, "pattern", json_string(patterns[configuration->pattern]));
	json_put(document, settings, "fragment_size_bytes",
		 json_from_count_unless_zero(configuration->fragment_size));
	json_put(document, settings, "fragment_order",
		 configuration->fragment_size > 0
			 ? json_string(orders[configuration->fragment_order])
			 : json_null());
	json_put(document, settings, "tagged", json_boolean(result->tagged));
	json_put(document, settings, "transport_note", json_from_text(result->transport_note));
	json_put(document, settings, "simulation",
		 is_simulated ? from_simulation(document, &configuration->simulation)
			      : json_null());
}

void json_put_settings(struct json_document *document, json_t *root)
{
	const struct result *result = document->result;
	const struct configuration *configuration = result->configuration;
	json_t *settings = json_object();

	json_put(document, settings, "count", json_from_count_unless_zero(configuration->count));
	json_put(document, settings, "interval_ns", json_from_ns_unless_zero(result->interval_ns));
	json_put(document, settings, "rate_per_s", from_asked_rate(result));
	json_put(document, settings, "depth", json_from_count_unless_zero(result->depth));
	/* Each point of a series has its own. */
	json_put(document, settings, "payload_bytes",
		 configuration_has_series(configuration)
			 ? json_null()
			 : json_integer(configuration->payload_bytes));
	json_put(document, settings, "timeout_ns", json_integer(configuration->timeout_ns));
	json_put(document, settings, "warmup", from_warmup(document, configuration));
	json_put(document, settings, "transport", json_from_text(result->transport));
	json_put(document, settings, "stamps", from_stamps(result));
	json_put(document, settings, "stamp_every",
		 json_from_count_unless_zero(result->stamp_every));
	json_put(document, settings, "path_mtu_mode", from_path_mtu_mode(configuration->path_mtu));
	json_put(document, settings, "threads", json_integer(1));
	json_put(document, settings, "repeat", json_integer(1));
	put_own_settings(document, settings, result);
	json_put(document, root, "settings", settings);
}
