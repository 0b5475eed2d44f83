/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a script does to an ICMP message. Edits run in the order of the script, each on what the
 * one before it left; "data" is what follows the 8 bytes of ICMP header: the payload of a reply,
 * the quote of an error. The checksum comes last, so every damage is invisible to it unless the
 * script asks for a bad one.
 */
#include "make.h"

#include <string.h>

static size_t data_length(const struct draft *draft)
{
	return draft->length > 8 ? draft->length - 8 : 0;
}

static void set_data_length(struct draft *draft, int64_t length)
{
	if (draft->length >= 8 && length < (int64_t)data_length(draft))
		draft->length = 8 + (size_t)(length > 0 ? length : 0);
}

static void lengthen(struct draft *draft, size_t by)
{
	if (draft->length + by > sizeof(draft->icmp))
		by = sizeof(draft->icmp) - draft->length;
	memset(draft->icmp + draft->length, 0xa5, by);
	draft->length += by;
}

static void corrupt(struct draft *draft, size_t offset)
{
	if (offset < data_length(draft))
		draft->icmp[8 + offset] ^= 0xff;
}

static void corrupt_late(struct draft *draft, size_t offset)
{
	if (draft->late_corruptions < LATE_CORRUPTIONS_MAX)
		draft->late_corruption[draft->late_corruptions++] = offset;
}

/*
 * The type and code stay, so that the message goes on meaning the same; the checksum is not
 * reached.
 */
static void mutate(struct maker *maker, struct draft *draft, int64_t times)
{
	if (draft->length <= 4)
		return;
	while (times-- > 0) {
		size_t at = 4 + random_below(&maker->random, draft->length - 4);

		draft->icmp[at] ^= (uint8_t)(1 + random_below(&maker->random, 255));
	}
}

/* From an offset of the data on, the bytes of another request. */
static void mix(struct maker *maker, const struct event *event, const struct operation *operation,
		struct draft *draft)
{
	int64_t number = operation->a + (operation->relative ? event->request->number : 0);
	const struct request *other = make_recent(maker, number);
	size_t from = 8 + (size_t)operation->b, end;

	if (!other)
		return;
	end = draft->length < other->icmp_length ? draft->length : other->icmp_length;
	if (from < end)
		memcpy(draft->icmp + from, other->icmp + from, end - from);
}

static void set_bytes(struct draft *draft, const struct operation *operation)
{
	for (size_t i = 0; i < operation->length; i++) {
		if ((size_t)operation->a + i < data_length(draft))
			draft->icmp[8 + (size_t)operation->a + i] = operation->bytes[i];
	}
}

static void set_field(struct draft *draft, size_t at, const struct operation *operation,
		      int64_t right)
{
	if (draft->length >= at + 2)
		put16(draft->icmp + at,
		      (size_t)(operation->a + (operation->relative ? right : 0)) & 0xffff);
}

static void set_rest(struct draft *draft, size_t value)
{
	if (draft->length >= 8)
		put32(draft->icmp + 4, value);
}

/* Edits of the message. */
static void edit(struct maker *maker, const struct event *event, const struct operation *operation,
		 struct draft *draft)
{
	size_t value = (size_t)operation->a;

	switch (operation->kind) {
	case OPERATION_TRUNCATE:
		set_data_length(draft,
				operation->a +
					(operation->relative ? (int64_t)data_length(draft) : 0));
		break;
	case OPERATION_HALF:
		set_data_length(draft, (int64_t)data_length(draft) / 2);
		break;
	case OPERATION_LENGTHEN:
		lengthen(draft, value);
		break;
	case OPERATION_ICMP_LENGTH:
		if (value > draft->length)
			lengthen(draft, value - draft->length);
		draft->length = value;
		break;
	case OPERATION_CORRUPT:
		corrupt(draft, value);
		break;
	case OPERATION_CORRUPT_UNREPAIRED:
		corrupt_late(draft, value);
		break;
	case OPERATION_SET:
		set_bytes(draft, operation);
		break;
	case OPERATION_MUTATE:
		mutate(maker, draft, operation->a);
		break;
	case OPERATION_MIX:
		mix(maker, event, operation, draft);
		break;
	case OPERATION_WRONG_TAG:
		for (size_t i = 8; i < 16; i++)
			corrupt(draft, i);
		break;
	case OPERATION_TYPE:
		draft->icmp[0] = (uint8_t)value;
		break;
	case OPERATION_CODE:
		draft->icmp[1] = (uint8_t)value;
		break;
	case OPERATION_MTU:
		set_rest(draft, value);
		break;
	default:
		break;
	}
}

/*
 * Edits that need to know whose message it is: addresses, numbers, and the pointer, which differs
 * by family.
 */
static void edit_identity(const struct event *event, const struct operation *operation,
			  struct draft *draft, bool forged)
{
	const struct request *request = event->request;
	bool six = draft->source.family == 6;

	switch (operation->kind) {
	case OPERATION_WRONG_ID:
		set_field(draft, 4, operation, request->id);
		break;
	case OPERATION_WRONG_SEQUENCE:
		/* forgeries guess on from where they began, copy by copy */
		set_field(draft, 6, operation, request->sequence + (forged ? event->copy : 0));
		break;
	case OPERATION_POINTER:
		set_rest(draft, six ? (size_t)operation->a : (size_t)operation->a << 24);
		break;
	case OPERATION_WRONG_SOURCE:
		if (operation->count == 0)
			draft->source.bytes[address_length(&draft->source) - 1] ^= 0x40;
		else if (operation->addresses[0].family == draft->source.family)
			draft->source = operation->addresses[0];
		break;
	default:
		break;
	}
}

/* How the message is wrapped. */
static void edit_wrapping(const struct operation *operation, struct draft *draft)
{
	switch (operation->kind) {
	case OPERATION_WRONG_CHECKSUM:
		draft->wrong_checksum = true;
		break;
	case OPERATION_WRONG_HEADER_CHECKSUM:
		draft->wrong_header_checksum = true;
		break;
	case OPERATION_TTL:
		draft->ttl = (uint8_t)operation->a;
		break;
	case OPERATION_TOS:
		draft->tos = (uint8_t)operation->a;
		break;
	case OPERATION_OPTIONS:
		draft->options = operation;
		break;
	case OPERATION_FRAGMENT:
		draft->fragment_size = (size_t)operation->a;
		break;
	case OPERATION_FRAGMENT_NONE:
		draft->fragment_none = true;
		break;
	case OPERATION_FRAGMENT_ATOMIC:
		draft->fragment_atomic = true;
		break;
	case OPERATION_ORDER:
		draft->order = (enum fragment_order)operation->a;
		break;
	case OPERATION_SKIP:
		draft->skip = operation->ranges;
		break;
	case OPERATION_TWICE:
		draft->twice = operation->ranges;
		break;
	case OPERATION_OVERLAP:
		draft->overlap = (size_t)operation->a;
		break;
	default:
		break;
	}
}

void edit_message(struct maker *maker, const struct event *event, struct draft *draft)
{
	bool forged = false;

	for (int i = 0; i < event->operations; i++) {
		const struct operation *operation = event->operation[i];

		forged |= operation->kind == OPERATION_FORGED;
		edit(maker, event, operation, draft);
		edit_identity(event, operation, draft, forged);
		edit_wrapping(operation, draft);
	}
}

/* The longest ICMP message that the IP length field can hold with these options. */
static size_t longest(const struct draft *draft)
{
	size_t options = draft->options ? draft->options->length : 0;
	size_t headers = draft->fragment_atomic ? 8 : 0;

	if (draft->source.family == 6) {
		if (options > 0)
			headers += (options + 2 + 7) / 8 * 8;
		return MESSAGE_MAX - headers;
	}
	return MESSAGE_MAX - 20 - (options + 3) / 4 * 4;
}

void edit_finish(struct draft *draft)
{
	uint8_t *icmp = draft->icmp;

	if (draft->length > longest(draft))
		draft->length = longest(draft);
	if (draft->length >= 4) {
		put16(icmp + 2, 0);
		checksum_put(icmp + 2, checksum_icmp(&draft->source, &draft->destination, icmp,
						     draft->length));
		/*
		 * the value moves by 0x00ff or 0x0101, never by a multiple of 0xffff: always
		 * wrong
		 */
		if (draft->wrong_checksum)
			put16(icmp + 2, get16(icmp + 2) ^ 0x0101);
	}
	for (int i = 0; i < draft->late_corruptions; i++)
		corrupt(draft, draft->late_corruption[i]);
}
