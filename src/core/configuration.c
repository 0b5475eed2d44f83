/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What was asked for, judged as a whole: the mode that follows from several options, and what
 * no option can see alone (contradictions, products that would not fit into memory). One function a
 * question, so that a test can ask them all without a command line. What is for root alone is in
 * configuration_refusals.c.
 */
#include "core/configuration.h"

#include <string.h>

#include "base/format.h"
#include "core/simulation.h"

#define PAYLOAD_MAX_IP4	      65507u /* 65535 - 20 - 8: RFC 791, RFC 792 */
#define PAYLOAD_MAX_IP6	      65527u /* 65535 - 8: RFC 8200 section 3, RFC 4443 */
#define REPLY_LINES_FROM_NS   (100 * NANOSECONDS_PER_MILLISECOND)
#define DEFAULT_PAYLOAD_BYTES 56u
#define DEFAULT_INTERVAL_NS   NANOSECONDS_PER_SECOND
#define DEFAULT_TIMEOUT_NS    NANOSECONDS_PER_SECOND

void configuration_defaults(struct configuration *configuration)
{
	memset(configuration, 0, sizeof(*configuration));
	configuration->payload_bytes = DEFAULT_PAYLOAD_BYTES;
	configuration->timeout_ns = DEFAULT_TIMEOUT_NS;
	configuration->pattern = PAYLOAD_DISTINCT;
	configuration->path_mtu = PATH_MTU_DEFAULT;
	configuration->traffic_class = -1;
	configuration->flow_label = -1;
	configuration->identifier = -1;
	configuration->transport = "auto";
	configuration->clock = "auto";
	configuration->stamps = STAMPS_SPLIT;
	simulation_defaults(&configuration->simulation);
}

static bool has_schedule(const struct configuration *configuration)
{
	return configuration->interval_ns > 0 || configuration->rate_per_s > 0;
}

static bool is_interval(const struct configuration *configuration)
{
	return configuration_mode(configuration)[0] == 'i';
}

bool configuration_has_series(const struct configuration *configuration)
{
	return configuration->sweep_sizes != NULL || configuration->find_mtu ||
	       configuration->diagnose_fragments;
}

bool configuration_makes_fragments(const struct configuration *configuration)
{
	return configuration->fragment_size > 0 || configuration->find_mtu ||
	       configuration->diagnose_fragments || configuration->sweeps_pieces;
}

const char *configuration_name(const struct configuration *configuration)
{
	if (configuration->sweep_sizes != NULL)
		return "sweep-size";
	if (configuration->find_mtu)
		return "find-mtu";
	if (configuration->diagnose_fragments)
		return "diagnose";
	return configuration_mode(configuration);
}

uint64_t configuration_sweep_count(const struct configuration *configuration)
{
	if (configuration->count > 0)
		return configuration->count;
	return is_interval(configuration) ? CONFIGURATION_SWEEP_COUNT
					  : CONFIGURATION_SWEEP_FLOOD_COUNT;
}

const char *configuration_mode(const struct configuration *configuration)
{
	if (configuration->flood && !has_schedule(configuration))
		return "flood";
	if (configuration->depth > 0 && !has_schedule(configuration))
		return "depth";
	return "interval";
}

int64_t configuration_interval_ns(const struct configuration *configuration, uint32_t target_count)
{
	double interval_ns;

	if (configuration->interval_ns > 0)
		return configuration->interval_ns;
	if (!(configuration->rate_per_s > 0))
		return configuration_has_series(configuration) ? CONFIGURATION_SERIES_INTERVAL_NS
							       : DEFAULT_INTERVAL_NS;
	interval_ns =
		(double)(target_count > 0 ? target_count : 1) * 1e9 / configuration->rate_per_s;
	if (interval_ns >= (double)CONFIGURATION_INTERVAL_MAX_NS)
		return CONFIGURATION_INTERVAL_MAX_NS;
	return interval_ns < 1 ? 1 : (int64_t)(interval_ns + 0.5);
}

uint32_t configuration_stamp_every(const struct configuration *configuration,
				   uint32_t target_count)
{
	int64_t interval_ns = configuration_interval_ns(configuration, target_count);

	if (configuration->stamps != STAMPS_SPLIT)
		return 0;
	if (!is_interval(configuration) ||
	    (double)target_count * 1e9 > CONFIGURATION_STAMP_ALL_PER_S * (double)interval_ns)
		return CONFIGURATION_STAMP_EVERY;
	return 1;
}

bool configuration_prints_replies(const struct configuration *configuration)
{
	bool text = !configuration->json || configuration->json_file != NULL;

	return text && !configuration->quiet && !configuration->flood &&
	       !configuration_has_series(configuration) && is_interval(configuration) &&
	       configuration_interval_ns(configuration, configuration->target_count) >=
		       REPLY_LINES_FROM_NS;
}

/* ---- validation ---- */

static int validate_pace(const struct configuration *configuration, struct error *error)
{
	if (configuration->depth > 0 && configuration->preload > 0)
		return error_set(
			error, ERROR_INVALID,
			"-l and --depth (or -A) both say how many are in flight: give one");
	if (configuration->interval_ns > 0 && configuration->rate_per_s > 0)
		return error_set(error, ERROR_INVALID,
				 "-i and --rate say the same in two ways: give one");
	if (configuration->depth > 0 && has_schedule(configuration))
		return error_set(error, ERROR_INVALID,
				 "--depth (or -A) sends when a reply is back, -i and --rate by the "
				 "clock: give one");
	if (configuration->allow_broadcast && (configuration->flood || configuration->depth > 0))
		return error_set(error, ERROR_INVALID,
				 "-b never goes with -f, --depth or -A: every host of the network "
				 "would answer each request; use -i");
	return 0;
}

static int validate_packet(const struct configuration *configuration, struct error *error)
{
	uint32_t bytes = configuration->payload_bytes;

	if (configuration->family == 4 && bytes > PAYLOAD_MAX_IP4)
		return error_set(error, ERROR_INVALID,
				 "-s %u: an IPv4 request carries at most 65507 bytes", bytes);
	if (bytes > PAYLOAD_MAX_IP6)
		return error_set(
			error, ERROR_INVALID,
			"-s %u: a request carries at most 65507 bytes over IPv4 and 65527 over "
			"IPv6",
			bytes);
	if (configuration->fixed_pattern_length > 0 && configuration->has_payload_kind)
		return error_set(error, ERROR_INVALID,
				 "-p and --payload both say what the data is: give one");
	if (configuration->flow_label >= 0 && configuration->family == 4)
		return error_set(
			error, ERROR_INVALID,
			"-F sets the flow label of IPv6; -4 leaves none: drop one of them");
	return 0;
}

static int validate_fragments(const struct configuration *configuration, struct error *error)
{
	if (configuration->has_fragment_order && configuration->fragment_size == 0)
		return error_set(error, ERROR_INVALID,
				 "--fragment-order orders what --fragment-size cuts: give both");
	if (!configuration_makes_fragments(configuration))
		return 0;
	if (configuration->path_mtu != PATH_MTU_DEFAULT)
		return error_set(error, ERROR_INVALID,
				 "-M says how the kernel cuts requests, which are cut by hand "
				 "here: leave it out");
	if (configuration->fragment_size > 0 && configuration->sweeps_pieces)
		return error_set(error, ERROR_INVALID,
				 "--sweep-size pieces chooses its pieces: leave out "
				 "--fragment-size");
	if (configuration->transport[0] != 'a' && configuration->transport[0] != 'r')
		return error_set(error, ERROR_INVALID,
				 "fragments made by hand need raw sockets: leave out --transport "
				 "%.20s",
				 configuration->transport);
	return 0;
}

/* Requests of one target that can be waited for at once under a schedule. */
static double waiting_per_target(const struct configuration *configuration, int64_t interval_ns)
{
	double waiting = (double)configuration->timeout_ns / (double)interval_ns + 1;

	if (waiting < configuration->preload)
		waiting = configuration->preload;
	if (configuration->count > 0 && waiting > (double)configuration->count)
		waiting = (double)configuration->count;
	return waiting;
}

/*
 * Without room for a tag, a reply names its request by 16 bits alone (RFC 792): with more requests
 * out than that, it would be taken for another one's.
 */
static int validate_numbers(const struct configuration *configuration, double waiting,
			    struct error *error)
{
	if (configuration->payload_bytes >= PAYLOAD_TAGGED_BYTES || waiting <= UINT16_MAX)
		return 0;
	return error_set(error, ERROR_INVALID,
			 "-s %u: replies of fewer than %u bytes carry a 16-bit number only, and up "
			 "to %.0f requests would be out at once: use -s %u, or fewer at once",
			 configuration->payload_bytes, PAYLOAD_TAGGED_BYTES, waiting,
			 PAYLOAD_TAGGED_BYTES);
}

/* What a schedule asks of the sender and of the memory for requests that are waited for. */
static int validate_schedule(const struct configuration *configuration, double targets,
			     struct error *error)
{
	int64_t interval_ns = configuration_interval_ns(configuration, configuration->target_count);
	double per_s = targets * 1e9 / (double)interval_ns;
	double waiting = targets * waiting_per_target(configuration, interval_ns);
	char rate[FORMAT_LENGTH];

	if (targets * 1e9 > configuration->rate_per_s * (double)CONFIGURATION_INTERVAL_MAX_NS &&
	    configuration->rate_per_s > 0)
		return error_set(
			error, ERROR_INVALID,
			"--rate over %.0f hosts is less than one request to each in 1000000 s: "
			"raise it",
			targets);
	/* Half a part in a million for what the interval loses by being whole nanoseconds. */
	if (per_s > CONFIGURATION_RATE_MAX * 1.0000005)
		return error_set(
			error, ERROR_INVALID,
			"%s in all is more than the %.0f/s that can be kept: raise -i, or name "
			"fewer hosts",
			format_rate(per_s, rate), CONFIGURATION_RATE_MAX);
	if (waiting > CONFIGURATION_WAITING_MAX)
		return error_set(
			error, ERROR_INVALID,
			"up to %.0f requests would be waited for at once, %u can be: raise -i or "
			"shorten -W",
			waiting, CONFIGURATION_WAITING_MAX);
	return validate_numbers(configuration, waiting, error);
}

/* Products of several options that must stay within what memory and 64 bits hold. */
static int validate_sums(const struct configuration *configuration, struct error *error)
{
	uint64_t targets = configuration->target_count > 0 ? configuration->target_count : 1;
	uint64_t slots = configuration->depth > 0 ? configuration->depth : configuration->preload;

	if (slots * targets > CONFIGURATION_SLOTS_MAX)
		return error_set(
			error, ERROR_INVALID,
			"%llu in flight to each of %llu hosts are more than %u in all: lower "
			"--depth or -l",
			(unsigned long long)slots, (unsigned long long)targets,
			CONFIGURATION_SLOTS_MAX);
	if (configuration->count > CONFIGURATION_COUNT_MAX / targets)
		return error_set(error, ERROR_INVALID,
				 "-c %llu to each of %llu hosts is more than %llu in all: lower it",
				 (unsigned long long)configuration->count,
				 (unsigned long long)targets,
				 (unsigned long long)CONFIGURATION_COUNT_MAX);
	if (is_interval(configuration))
		return validate_schedule(configuration, (double)targets, error);
	slots = max_u64(slots, 1);
	if (configuration->count > 0)
		slots = min_u64(slots, configuration->count);
	return validate_numbers(configuration, (double)(slots * targets), error);
}

/* What a search that chooses its own requests and their pace must not be given. */
static const char *misfit_of_search(const struct configuration *configuration)
{
	if (configuration->flood || configuration->depth > 0 || configuration->preload > 0)
		return "-f, -l and --depth";
	if (has_schedule(configuration))
		return "-i and --rate";
	if (configuration->count > 0)
		return "-c";
	if (configuration->has_size)
		return "-s";
	if (configuration->path_mtu != PATH_MTU_DEFAULT)
		return "-M";
	return NULL;
}

static int validate_series(const struct configuration *configuration, struct error *error)
{
	const char *name = configuration->sweep_sizes != NULL ? "--sweep-size"
			   : configuration->find_mtu	      ? "--find-mtu"
							      : "--diagnose-fragments";
	const char *misfit = misfit_of_search(configuration);

	if (!configuration_has_series(configuration))
		return 0;
	if ((configuration->sweep_sizes != NULL) + configuration->find_mtu +
		    configuration->diagnose_fragments >
	    1)
		return error_set(error, ERROR_INVALID,
				 "--sweep-size, --find-mtu and --diagnose-fragments are runs of "
				 "their own: give one");
	if (configuration->target_count > 1)
		return error_set(error, ERROR_INVALID,
				 "%s is for one host, %u are named: run it once for each", name,
				 configuration->target_count);
	if (configuration->warmup_requests > 0 || configuration->warmup_ns > 0)
		return error_set(error, ERROR_INVALID,
				 "--warmup: the blocks of a run of several kinds of requests make "
				 "up for its start: leave it out");
	if (configuration->allow_broadcast)
		return error_set(error, ERROR_INVALID, "-b: %s is for one host: leave it out",
				 name);
	if (configuration->sweep_sizes == NULL && misfit != NULL)
		return error_set(error, ERROR_INVALID,
				 "%s chooses its requests and their pace: leave out %s", name,
				 misfit);
	if (configuration->sweep_sizes != NULL && configuration->count > 0 &&
	    configuration->count < CONFIGURATION_SWEEP_COUNT_MIN)
		return error_set(error, ERROR_INVALID,
				 "-c %llu: a sweep sends at least %u requests of each kind, one in "
				 "each block: use -c %u or more",
				 (unsigned long long)configuration->count,
				 CONFIGURATION_SWEEP_COUNT_MIN, CONFIGURATION_SWEEP_COUNT_MIN);
	return 0;
}

int configuration_validate(const struct configuration *configuration, struct error *error)
{
	int status = validate_pace(configuration, error);

	if (status == 0)
		status = validate_series(configuration, error);

	if (status == 0)
		status = validate_packet(configuration, error);
	if (status == 0)
		status = validate_fragments(configuration, error);
	if (status == 0)
		status = validate_sums(configuration, error);
	return status;
}
