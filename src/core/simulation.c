/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Settings of the simulated network. Each key is a row: where its value goes, of what kind it is
 * and between which limits. The limits keep the virtual clock from overflowing: a year of the
 * longest delays is far from 2^63 ns.
 */
#include "core/simulation.h"

#include <string.h>

#include "base/format.h"
#include "base/number.h"

#define ITEM_MAX 64u /* longest KEY=VALUE */
#define HOUR_NS (3600 * NANOSECONDS_PER_SECOND)

enum kind { KIND_DURATION, KIND_RATIO, KIND_NUMBER, KIND_MTU };

struct row {
	enum kind kind;
	size_t offset; /* in struct simulation */
	uint64_t min, max;
};

#define MEMBER(name) offsetof(struct simulation, name)

const struct simulation_key simulation_keys[] = {
	{"seed", "NUMBER: the same seed gives the same run (1)"},
	{"delay", "TIME: round trip of a request that nothing happens to (1ms)"},
	{"jitter", "TIME: added to it, evenly from 0 to this (0)"},
	{"service", "TIME: the one server answers requests in turn, each takes this long (0)"},
	{"send", "TIME: what the sending of one request takes (1us)"},
	{"queue", "TIME: each request waits so long in the queue of the interface (0)"},
	{"loss", "RATIO: a whole request is lost (0)"},
	{"fragment-loss", "RATIO: one fragment of a request is lost (0)"},
	{"reply-fragment-loss", "RATIO: one fragment of a reply is lost (0)"},
	{"duplicate", "RATIO: a reply comes twice (0)"},
	{"reorder", "RATIO: a reply takes twice the delay (0)"},
	{"corrupt", "RATIO: one byte of a reply's data changes (0)"},
	{"drop-every", "NUMBER: every N-th request is lost, 0 for none (0)"},
	{"stall-every", "TIME: once in each such time the network stands still (never)"},
	{"stall", "TIME: for this long, at the end of it (0)"},
	{"stamp-loss", "RATIO: a send stamp of the kernel never comes (0)"},
	{"mtu", "BYTES: of the interface, 68 to 65535 (1500)"},
	{NULL, NULL},
};

/* In the order of simulation_keys. */
static const struct row rows[] = {
	{KIND_NUMBER, MEMBER(seed), 0, UINT64_MAX},
	{KIND_DURATION, MEMBER(delay_ns), 0, HOUR_NS},
	{KIND_DURATION, MEMBER(jitter_ns), 0, HOUR_NS},
	{KIND_DURATION, MEMBER(service_ns), 0, HOUR_NS},
	{KIND_DURATION, MEMBER(send_ns), 1, NANOSECONDS_PER_SECOND},
	{KIND_DURATION, MEMBER(queue_ns), 0, HOUR_NS},
	{KIND_RATIO, MEMBER(loss), 0, 1},
	{KIND_RATIO, MEMBER(fragment_loss), 0, 1},
	{KIND_RATIO, MEMBER(reply_fragment_loss), 0, 1},
	{KIND_RATIO, MEMBER(duplicate), 0, 1},
	{KIND_RATIO, MEMBER(reorder), 0, 1},
	{KIND_RATIO, MEMBER(corrupt), 0, 1},
	{KIND_NUMBER, MEMBER(drop_every), 0, UINT64_MAX},
	{KIND_DURATION, MEMBER(stall_every_ns), 0, 24 * HOUR_NS},
	{KIND_DURATION, MEMBER(stall_ns), 0, HOUR_NS},
	{KIND_RATIO, MEMBER(stamp_loss), 0, 1},
	{KIND_MTU, MEMBER(mtu), 68, 65535},
};

_Static_assert(ARRAY_LENGTH(simulation_keys) == ARRAY_LENGTH(rows) + 1, "a row for each key");

void simulation_defaults(struct simulation *simulation)
{
	*simulation = (struct simulation){
		.seed = 1,
		.delay_ns = NANOSECONDS_PER_MILLISECOND,
		.send_ns = NANOSECONDS_PER_MICROSECOND,
		.mtu = 1500,
	};
}

/* Length of text up to (not with) the first `end` or the final NUL. */
static size_t length_to(const char *text, char end)
{
	size_t length = 0;

	while (text[length] != '\0' && text[length] != end)
		length++;
	return length;
}

/* The row of the key with these bytes; ARRAY_LENGTH(rows) if there is none. */
static size_t find_key(const char *key, size_t length)
{
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		const char *name = simulation_keys[i].name;

		if (length_to(name, '\0') == length && memcmp(name, key, length) == 0)
			return i;
	}
	return ARRAY_LENGTH(rows);
}

static int store_value(struct simulation *simulation, size_t index, const char *value,
		       struct error *error)
{
	const struct row *row = &rows[index];
	const char *what = simulation_keys[index].name;
	uint8_t *member = (uint8_t *)simulation + row->offset;
	int64_t duration_ns = 0;
	uint64_t number = 0;
	uint32_t mtu;
	double ratio = 0;
	int result;

	switch (row->kind) {
	case KIND_DURATION:
		result = number_parse_duration(what, value, (int64_t)row->min, (int64_t)row->max,
					       &duration_ns, error);
		memcpy(member, &duration_ns, sizeof(duration_ns));
		return result;
	case KIND_RATIO:
		result = number_parse_ratio(what, value, &ratio, error);
		memcpy(member, &ratio, sizeof(ratio));
		return result;
	case KIND_NUMBER:
		result = number_parse_unsigned(what, value, row->min, row->max, &number, error);
		memcpy(member, &number, sizeof(number));
		return result;
	case KIND_MTU:
		break;
	}
	result = number_parse_unsigned(what, value, row->min, row->max, &number, error);
	mtu = (uint32_t)number;
	memcpy(member, &mtu, sizeof(mtu));
	return result;
}

/* One KEY=VALUE; seen: bits of the keys that came before. */
static int parse_item(struct simulation *simulation, const char *text, size_t length,
		      uint32_t *seen, struct error *error)
{
	char item[ITEM_MAX];
	char key[ITEM_MAX];
	size_t key_length;
	size_t index;

	if (length >= sizeof(item))
		return error_set(error, ERROR_INVALID, "a setting is longer than %u bytes",
				 ITEM_MAX - 1);
	memcpy(item, text, length);
	item[length] = '\0';
	key_length = length_to(item, '=');
	if (key_length == length)
		return error_set(error, ERROR_INVALID,
				 "a setting is KEY=VALUE, several are separated by commas");
	index = find_key(item, key_length);
	(void)format_escape(item, key_length, key, sizeof(key));
	if (index == ARRAY_LENGTH(rows))
		return error_set(error, ERROR_INVALID,
				 "there is no setting '%s': there are seed, delay, jitter, "
				 "service, send, queue, loss, fragment-loss, reply-fragment-loss, "
				 "duplicate, reorder, corrupt, drop-every, stall-every, stall, "
				 "stamp-loss, mtu",
				 key);
	if ((*seen & UINT32_C(1) << index) != 0)
		return error_set(error, ERROR_INVALID, "%s is given twice", key);
	*seen |= UINT32_C(1) << index;
	return store_value(simulation, index, item + key_length + 1, error);
}

int simulation_parse(const char *text, struct simulation *simulation, struct error *error)
{
	struct simulation parsed = *simulation;
	uint32_t seen = 0;

	for (;;) {
		size_t length = length_to(text, ',');
		int result = parse_item(&parsed, text, length, &seen, error);

		if (result < 0)
			return result;
		if (text[length] == '\0')
			break;
		text += length + 1;
	}
	if ((parsed.stall_ns == 0) != (parsed.stall_every_ns == 0))
		return error_set(error, ERROR_INVALID,
				 "stall and stall-every only work together, and above 0");
	if (parsed.stall_ns > 0 && parsed.stall_ns >= parsed.stall_every_ns)
		return error_set(error, ERROR_INVALID,
				 "stall must be shorter than stall-every, or nothing ever moves");
	*simulation = parsed;
	return 0;
}
