/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values of the options that set the pace and the packet. Where 0 means "none" or "for ever" to
 * another ping, it is refused here with what to type instead: a number that is read as its
 * opposite is no number.
 */
#include "apps/probe/option_values.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"

static int set_u32(uint32_t *member, const char *what, const char *value, uint64_t min,
		   uint64_t max, struct error *error)
{
	uint64_t number;
	int status = number_parse_unsigned(what, value, min, max, &number, error);

	if (status == 0)
		*member = (uint32_t)number;
	return status;
}

/* ---- pace ---- */

OPTION_SETTER(adaptive)
{
	(void)what;
	(void)value;
	(void)error;
	configuration->depth = 1;
	return 0;
}

OPTION_SETTER(count)
{
	if (strcmp(value, "0") == 0)
		return error_set(error, ERROR_INVALID,
				 "%s: '0' would send nothing: leave %s out to run until stopped",
				 what, what);
	return number_parse_unsigned(what, value, 1, CONFIGURATION_COUNT_MAX, &configuration->count,
				     error);
}

OPTION_SETTER(deadline)
{
	int64_t deadline_ns;
	int status = number_parse_duration(what, value, 0, CONFIGURATION_TIME_MAX_NS, &deadline_ns,
					   error);

	if (status == 0 && deadline_ns == 0)
		return error_set(error, ERROR_INVALID,
				 "%s: '%s' is no time: leave %s out to run without a deadline",
				 what, value, what);
	if (status == 0)
		configuration->deadline_ns = deadline_ns;
	return status;
}

OPTION_SETTER(depth)
{
	return set_u32(&configuration->depth, what, value, 1, CONFIGURATION_DEPTH_MAX, error);
}

OPTION_SETTER(interval)
{
	int64_t interval_ns;
	int status = number_parse_duration(what, value, 0, CONFIGURATION_INTERVAL_MAX_NS,
					   &interval_ns, error);

	if (status == 0 && interval_ns == 0)
		return error_set(
			error, ERROR_INVALID,
			"%s: '%s' is no interval: to send as fast as replies come back use -f",
			what, value);
	if (status == 0 && interval_ns < CONFIGURATION_INTERVAL_MIN_NS)
		return error_set(error, ERROR_INVALID,
				 "%s: '%s' cannot be kept: give at least 1us, or use -f", what,
				 value);
	if (status == 0)
		configuration->interval_ns = interval_ns;
	return status;
}

OPTION_SETTER(preload)
{
	return set_u32(&configuration->preload, what, value, 1, CONFIGURATION_DEPTH_MAX, error);
}

OPTION_SETTER(rate)
{
	struct number_rate rate;
	int status = number_parse_rate(what, value, &rate, error);
	double per_s = status == 0 ? number_rate_per_s(&rate) : 0;

	if (status == 0 && per_s > CONFIGURATION_RATE_MAX)
		return error_set(error, ERROR_INVALID,
				 "%s: '%s' cannot be kept: give at most 1000000, or use -f", what,
				 value);
	if (status == 0)
		configuration->rate_per_s = per_s;
	return status;
}

OPTION_SETTER(timeout)
{
	return number_parse_duration(what, value, CONFIGURATION_TIMEOUT_MIN_NS,
				     CONFIGURATION_TIMEOUT_MAX_NS, &configuration->timeout_ns,
				     error);
}

/* A bare number is requests, one with a unit is time. */
OPTION_SETTER(warmup)
{
	size_t digits = strspn(value, "0123456789");
	uint64_t requests = 0;
	int64_t warmup_ns = 0;
	int status;

	if (digits > 0 && value[digits] == '\0')
		status = number_parse_unsigned(what, value, 1, CONFIGURATION_COUNT_MAX, &requests,
					       error);
	else if (digits > 0 && strpbrk(value, "nums") == NULL)
		return error_set(error, ERROR_INVALID,
				 "%s: give a number of requests (100) or a time with its unit (2s)",
				 what);
	else
		status = number_parse_duration(what, value, NANOSECONDS_PER_MICROSECOND,
					       CONFIGURATION_WARMUP_MAX_NS, &warmup_ns, error);
	if (status < 0)
		return status;
	configuration->warmup_requests = requests;
	configuration->warmup_ns = warmup_ns;
	return 0;
}

/* ---- packet ---- */

OPTION_SETTER(flow_label)
{
	bool has_prefix = strncasecmp(value, "0x", 2) == 0;
	char number[24];
	uint64_t label;

	/* Hexadecimal with or without 0x, as ping reads it; not longer than can make sense. */
	int length = snprintf(number, sizeof(number), "%s%s", has_prefix ? "" : "0x", value);
	if (length >= (int)sizeof(number) ||
	    number_parse_unsigned_any(what, number, 0, 0xfffff, &label, NULL) < 0)
		return error_set(error, ERROR_INVALID,
				 "%s: not a flow label: give hexadecimal digits from 0 to fffff",
				 what);
	configuration->flow_label = (int64_t)label;
	return 0;
}

OPTION_SETTER(identifier)
{
	uint64_t identifier;
	int status = number_parse_unsigned_any(what, value, 0, UINT16_MAX, &identifier, error);

	if (status == 0)
		configuration->identifier = (int32_t)identifier;
	return status;
}

OPTION_SETTER(path_mtu)
{
	static const struct {
		const char *name;
		enum configuration_path_mtu mode;
	} modes[] = {
		{"do", PATH_MTU_DO},	 {"want", PATH_MTU_WANT},
		{"dont", PATH_MTU_DONT}, {"probe", PATH_MTU_PROBE},
		{"omit", PATH_MTU_OMIT}, {"interface", PATH_MTU_INTERFACE},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(modes); i++) {
		if (strcmp(value, modes[i].name) == 0) {
			configuration->path_mtu = modes[i].mode;
			return 0;
		}
	}
	return error_set(error, ERROR_INVALID,
			 "%s: not a path-MTU mode: give do, want, dont, probe, interface or omit "
			 "(to set DF and nothing else: do)",
			 what);
}

OPTION_SETTER(pattern)
{
	int status = number_parse_hex_pattern(what, value, configuration->fixed_pattern,
					      &configuration->fixed_pattern_length, error);

	/* With --payload as well, configuration_validate sees that they do not agree. */
	if (status == 0)
		configuration->pattern = PAYLOAD_FIXED;
	return status;
}

OPTION_SETTER(payload)
{
	configuration->has_payload_kind = true;
	if (strcmp(value, "random") == 0)
		configuration->pattern = PAYLOAD_RANDOM;
	else if (strcmp(value, "distinct") == 0)
		configuration->pattern = PAYLOAD_DISTINCT;
	else
		return error_set(
			error, ERROR_INVALID,
			"%s: not a kind of payload: give distinct or random (bytes of your "
			"own: -p)",
			what);
	return 0;
}

OPTION_SETTER(size)
{
	configuration->has_size = true;
	return set_u32(&configuration->payload_bytes, what, value, 0, 65527, error);
}

/* Code points: RFC 2474 (cs), RFC 2597 (af), RFC 3246 (ef), RFC 5865 (va), RFC 8622 (le). */
static bool find_code_point(const char *name, unsigned *code_point)
{
	static const struct {
		const char *name;
		unsigned code_point;
	} fixed[] = {{"ef", 46}, {"va", 44}, {"le", 1}};
	size_t length = strlen(name);

	for (size_t i = 0; i < ARRAY_LENGTH(fixed); i++) {
		if (strcasecmp(name, fixed[i].name) == 0) {
			*code_point = fixed[i].code_point;
			return true;
		}
	}
	if (length == 3 && strncasecmp(name, "cs", 2) == 0 && name[2] >= '0' && name[2] <= '7') {
		*code_point = (unsigned)(name[2] - '0') * 8;
		return true;
	}
	if (length == 4 && strncasecmp(name, "af", 2) == 0 && name[2] >= '1' && name[2] <= '4' &&
	    name[3] >= '1' && name[3] <= '3') {
		*code_point = (unsigned)(name[2] - '0') * 8 + (unsigned)(name[3] - '0') * 2;
		return true;
	}
	return false;
}

OPTION_SETTER(traffic_class)
{
	unsigned code_point;
	uint64_t number;

	if (find_code_point(value, &code_point))
		number = code_point << 2;
	else if (number_parse_unsigned_any(what, value, 0, 255, &number, NULL) < 0)
		return error_set(
			error, ERROR_INVALID,
			"%s: not a traffic class: give 0 to 255, 0x00 to 0xff, or one of cs0 to "
			"cs7, af11 to af43, ef, va, le",
			what);
	configuration->traffic_class = (int)number;
	return 0;
}

OPTION_SETTER(ttl)
{
	uint64_t ttl;

	if (number_parse_unsigned(what, value, 1, 255, &ttl, NULL) < 0)
		return error_set(
			error, ERROR_INVALID,
			"%s: not a time to live: give 1 to 255 hops (the time to wait for a "
			"reply is -W)",
			what);
	configuration->ttl = (int)ttl;
	return 0;
}
