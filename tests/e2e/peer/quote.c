/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an ICMP error quotes: the packet as it arrived (of a fragmented request the first
 * fragment), altered as the script says. Changes of addresses, protocol, options and offset keep
 * the quoted header consistent, as a translator on the path would; quoted-ihl and quoted-length
 * lie and repair nothing.
 */
#include "make.h"

#include <string.h>

struct quote {
	uint8_t *bytes;
	size_t length;
	size_t header; /* where the quoted ICMP header is */
};

/* Put bytes in at an offset and move what follows. */
static void insert(struct quote *quote, size_t at, const uint8_t *bytes, size_t length)
{
	memmove(quote->bytes + at + length, quote->bytes + at, quote->length - at);
	memcpy(quote->bytes + at, bytes, length);
	quote->length += length;
	quote->header += length;
}

/*
 * IPv4: options in the header, filled up with zeros. IPv6: a destination options header of the
 * same bytes.
 */
static void quote_options(struct quote *quote, const struct operation *operation, bool six)
{
	uint8_t options[48] = {0};
	size_t length;

	if (six) {
		length = (operation->length + 2 + 7) / 8 * 8;
		options[0] = quote->bytes[6];
		options[1] = (uint8_t)(length / 8 - 1);
		memcpy(options + 2, operation->bytes, operation->length);
		quote->bytes[6] = PROTOCOL_DESTINATION_OPTIONS;
		insert(quote, 40, options, length);
		put16(quote->bytes + 4, get16(quote->bytes + 4) + length);
		return;
	}
	length = (operation->length + 3) / 4 * 4;
	if (quote->header + length > 60)
		return;
	memcpy(options, operation->bytes, operation->length);
	insert(quote, quote->header, options, length);
	quote->bytes[0] = (uint8_t)(quote->bytes[0] + length / 4);
	put16(quote->bytes + 2, get16(quote->bytes + 2) + length);
}

/* A quoted number of the echo header; the quoted checksum follows by RFC 1624 (equation 3). */
static void quote_number(struct quote *quote, size_t at, const struct operation *operation)
{
	uint8_t *field = quote->bytes + quote->header + at, *sum = quote->bytes + quote->header + 2;
	uint32_t old, new, total;

	if (quote->length < quote->header + 8)
		return;
	old = get16(field);
	new = (uint32_t)(operation->a + (operation->relative ? (int64_t)old : 0)) & 0xffff;
	total = (~(uint32_t)get16(sum) & 0xffff) + (~old & 0xffff) + new;
	total = (total & 0xffff) + (total >> 16);
	total = (total & 0xffff) + (total >> 16);
	put16(field, new);
	put16(sum, ~total & 0xffff);
}

static void quote_address(struct quote *quote, bool source, const struct operation *operation,
			  bool six)
{
	const struct address *address = &operation->addresses[0];

	if ((address->family == 6) != six)
		return;
	if (six)
		memcpy(quote->bytes + (source ? 8 : 24), address->bytes, 16);
	else
		memcpy(quote->bytes + (source ? 12 : 16), address->bytes, 4);
}

static void quote_edit(struct quote *quote, const struct operation *operation, bool six)
{
	switch (operation->kind) {
	case OPERATION_QUOTED_OPTIONS:
		quote_options(quote, operation, six);
		break;
	case OPERATION_QUOTED_PROTOCOL:
		quote->bytes[six ? 6 : 9] = (uint8_t)operation->a;
		break;
	case OPERATION_QUOTED_SOURCE:
		quote_address(quote, true, operation, six);
		break;
	case OPERATION_QUOTED_DESTINATION:
		quote_address(quote, false, operation, six);
		break;
	case OPERATION_QUOTED_ID:
		quote_number(quote, 4, operation);
		break;
	case OPERATION_QUOTED_SEQUENCE:
		quote_number(quote, 6, operation);
		break;
	case OPERATION_QUOTED_OFFSET:
		if (!six)
			put16(quote->bytes + 6,
			      (size_t)(quote->bytes[6] & 0xe0) << 8 | (size_t)operation->a / 8);
		break;
	default:
		break;
	}
}

/* A fragment header in the quoted IPv6 packet, which says that this was not the first fragment. */
static void quote_offset6(struct quote *quote, const struct operation *operation)
{
	uint8_t header[8] = {0};

	header[0] = quote->bytes[6];
	put16(header + 2, (size_t)operation->a & 0xfff8);
	put32(header + 4, 0x66b10000);
	quote->bytes[6] = PROTOCOL_FRAGMENT;
	insert(quote, 40, header, sizeof(header));
	put16(quote->bytes + 4, get16(quote->bytes + 4) + sizeof(header));
}

static size_t find_header(const struct request *request)
{
	struct packet_view view;

	if (packet_parse(request->first, request->first_length, &view) != 0)
		return 0;
	return (size_t)(view.payload - request->first);
}

size_t quote_write(const struct event *event, uint8_t *at)
{
	const struct request *request = event->request;
	bool six = request->source.family == 6;
	struct quote quote = {at, request->first_length, find_header(request)};
	size_t wanted = six ? 1280 - 40 - 8 : 576 - 20 - 8; /* what Linux quotes */

	memcpy(at, request->first, request->first_length);
	for (int i = 0; i < event->operations; i++) {
		const struct operation *operation = event->operation[i];

		if (operation->kind == OPERATION_QUOTE)
			wanted = (size_t)operation->a;
		else if (six && operation->kind == OPERATION_QUOTED_OFFSET)
			quote_offset6(&quote, operation);
		else
			quote_edit(&quote, operation, six);
	}
	if (!six) {
		put16(at + 10, 0);
		checksum_put(at + 10, checksum_add(0, at, (size_t)(at[0] & 15) * 4));
	}
	for (int i = 0; i < event->operations; i++) {
		size_t value = (size_t)event->operation[i]->a;

		if (event->operation[i]->kind == OPERATION_QUOTED_IHL && !six)
			at[0] = (uint8_t)(0x40 | value);
		if (event->operation[i]->kind == OPERATION_QUOTED_LENGTH)
			put16(at + (six ? 4 : 2), value);
	}
	return wanted < quote.length ? wanted : quote.length;
}
