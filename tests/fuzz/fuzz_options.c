/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a command line: the input is cut at its NULs into arguments. Nothing may be read
 * outside them, every refusal is a sentence of printable text, and what is accepted survives the
 * questions that a run would ask of it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "apps/probe/options.h"
#include "fuzz/require.h"

#define ARGUMENTS_MAX 64

static void check_text(const struct error *error)
{
	REQUIRE(error->text[0] != '\0', "an error without a sentence");
	REQUIRE(memchr(error->text, '\0', sizeof(error->text)) != NULL,
		"a sentence without an end");
	for (const char *at = error->text; *at != '\0'; at++)
		REQUIRE((unsigned char)*at >= ' ' && *at != 0x7f, "a control byte in the sentence");
}

static void check_configuration(struct configuration *configuration)
{
	struct refusal refusals[CONFIGURATION_REFUSALS_MAX];
	struct error error;
	uint32_t count;

	REQUIRE(configuration_interval_ns(configuration, configuration->target_count) > 0,
		"an interval of nothing");
	(void)configuration_prints_replies(configuration);
	if (configuration_validate(configuration, &error) < 0) {
		check_text(&error);
		return;
	}
	REQUIRE(configuration->payload_bytes <= 65527, "a payload that does not exist");
	REQUIRE(configuration->timeout_ns >= CONFIGURATION_TIMEOUT_MIN_NS, "no timeout");
	count = configuration_refusals(configuration, false, refusals);
	REQUIRE(count <= CONFIGURATION_REFUSALS_MAX, "too many refusals");
	REQUIRE(configuration_refusals(configuration, true, refusals) == 0, "root is refused");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *arguments[ARGUMENTS_MAX + 2] = {(char *)(uintptr_t) "fping-bench"};
	const char *hosts[ARGUMENTS_MAX + 2];
	struct options options;
	struct error error;
	int count = 1;

	/* Each argument in a block of exactly its size, so that reading past one is seen. */
	while (size > 0 && count <= ARGUMENTS_MAX) {
		const uint8_t *stop = memchr(data, '\0', size);
		size_t length = stop == NULL ? size : (size_t)(stop - data);
		char *argument = malloc(length + 1);

		if (argument == NULL)
			break;
		memcpy(argument, data, length);
		argument[length] = '\0';
		arguments[count++] = argument;
		data += length;
		size -= length;
		if (size > 0) {
			data++;
			size--;
		}
	}
	if (options_parse(&options, count, arguments, hosts, &error) < 0) {
		check_text(&error);
	} else {
		REQUIRE(options.configuration.target_count < (uint32_t)count,
			"hosts out of nothing");
		check_configuration(&options.configuration);
	}
	for (int i = 1; i < count; i++)
		free(arguments[i]);
	return 0;
}
