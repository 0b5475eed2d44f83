/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values of the options that say which way packets take, what measures them and where the result
 * goes. Names are checked against the tables of rows, so a new transport or clock needs no line
 * here; whether an interface or address exists is asked when the run is prepared.
 */
#include "apps/probe/option_values.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "core/simulation.h"
#include "os/clock.h"
#include "os/transport.h"

static int set_family(struct configuration *configuration, uint8_t family, const char *what,
		      struct error *error)
{
	if (configuration->family != 0 && configuration->family != family)
		return error_set(error, ERROR_INVALID,
				 "%s: -4 and -6 exclude each other: give one, or neither for both",
				 what);
	configuration->family = family;
	return 0;
}

OPTION_SETTER(family_4)
{
	(void)value;
	return set_family(configuration, 4, what, error);
}

OPTION_SETTER(family_6)
{
	(void)value;
	return set_family(configuration, 6, what, error);
}

OPTION_SETTER(source)
{
	if (value[0] == '\0')
		return error_set(error, ERROR_INVALID,
				 "%s: '' is neither an interface nor an address", what);
	if (configuration->source_count == CONFIGURATION_SOURCES_MAX)
		return error_set(error, ERROR_INVALID, "%s: can be given %u times at most", what,
				 CONFIGURATION_SOURCES_MAX);
	configuration->sources[configuration->source_count++] = value;
	return 0;
}

OPTION_SETTER(targets_file)
{
	if (value[0] == '\0')
		return error_set(error, ERROR_INVALID, "%s: '' is no file", what);
	if (configuration->targets_file != NULL && strcmp(configuration->targets_file, value) != 0)
		return error_set(error, ERROR_INVALID,
				 "%s: takes one file: put the hosts of both into one", what);
	configuration->targets_file = value;
	return 0;
}

OPTION_SETTER(mark)
{
	uint64_t mark;
	int status = number_parse_unsigned_any(what, value, 0, UINT32_MAX, &mark, error);

	if (status == 0) {
		configuration->has_mark = true;
		configuration->mark = (uint32_t)mark;
	}
	return status;
}

OPTION_SETTER(send_buffer)
{
	uint64_t bytes;
	int status = number_parse_unsigned(what, value, 1, 1u << 30, &bytes, error);

	/* The source address of fping and of the BSDs. */
	if (status < 0 && strpbrk(value, ".:%") != NULL)
		return error_set(
			error, ERROR_INVALID,
			"%s: this is the size of the send buffer in bytes; the source address is "
			"-I ADDRESS",
			what);
	if (status == 0)
		configuration->send_buffer_bytes = (uint32_t)bytes;
	return status;
}

/* Appends ", name" to a list of what would be right. */
static void append_name(char *list, size_t size, const char *name)
{
	size_t used = strlen(list);

	(void)snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", name);
}

OPTION_SETTER(transport)
{
	char names[160] = "auto";

	if (strcmp(value, "auto") == 0 || transport_find(value) != NULL) {
		configuration->transport = value;
		return 0;
	}
	for (const struct transport_row *const *row = transport_rows; *row != NULL; row++)
		append_name(names, sizeof(names), (*row)->name);
	return error_set(error, ERROR_INVALID, "%s: no such transport: give one of %s", what,
			 names);
}

OPTION_SETTER(clock)
{
	char names[160] = "auto";
	bool found = strcmp(value, "auto") == 0;

	for (const struct clock_row *const *row = clock_rows; *row != NULL; row++) {
		if ((*row)->is_simulated)
			continue;
		append_name(names, sizeof(names), (*row)->name);
		found = found || strcmp(value, (*row)->name) == 0;
	}
	if (!found)
		return error_set(error, ERROR_INVALID, "%s: no such clock: give one of %s", what,
				 names);
	configuration->clock = value;
	return 0;
}

OPTION_SETTER(stamps)
{
	static const struct {
		const char *name;
		enum configuration_stamps stamps;
	} kinds[] = {{"user", STAMPS_USER}, {"rx", STAMPS_RX}, {"split", STAMPS_SPLIT}};

	for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++) {
		if (strcmp(value, kinds[i].name) == 0) {
			configuration->stamps = kinds[i].stamps;
			return 0;
		}
	}
	return error_set(error, ERROR_INVALID, "%s: no such stamps: give user, rx or split", what);
}

OPTION_SETTER(simulation)
{
	struct error inner;
	int status;

	error_clear(&inner);
	status = simulation_parse(value, &configuration->simulation, &inner);
	if (status < 0)
		return error_set(error, ERROR_INVALID, "%s: %s", what, inner.text);
	configuration->has_simulation = true;
	return 0;
}

OPTION_SETTER(json)
{
	if (value != NULL && value[0] == '\0')
		return error_set(error, ERROR_INVALID,
				 "%s: the name of the file is missing after =", what);
	configuration->json = true;
	if (value != NULL)
		configuration->json_file = strcmp(value, "-") == 0 ? NULL : value;
	return 0;
}
