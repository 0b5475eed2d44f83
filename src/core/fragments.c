/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fragment plan. Everything that a report or a sweep wants to know about sizes follows from
 * three numbers (how many packets, bytes in all but the last, bytes in the last), so nothing
 * here loops over fragments.
 */
#include "core/fragments.h"

#include <math.h>

#include "core/ethernet.h"

#define IP4_HEADER_BYTES 20u
#define IP6_HEADER_BYTES 40u
#define IP6_FRAGMENT_HEADER_BYTES 8u
#define OFFSET_UNIT 8u /* fragment offsets count in units of 8 bytes */

/* Measured: bytes that a received fragment of PINNED_PACKET bytes holds in the receiver. */
#define PINNED_BYTES 2270u
#define PINNED_PACKET 1500u
#define PINNED_LEAST 832u /* of one that is small, which is mostly bookkeeping */

/* What one family and MTU allow. */
struct limits {
	uint32_t whole;   /* longest payload that is sent whole */
	uint32_t piece;   /* payload of a fragment that is not the last */
	uint32_t last;    /* most payload of a last fragment */
	uint32_t longest; /* payload of the longest datagram */
};

static bool limits_of(uint8_t family, uint32_t mtu, struct limits *limits)
{
	if (family == 4 && mtu >= FRAGMENT_MTU_MIN_IP4) {
		limits->whole = mtu - IP4_HEADER_BYTES;
		limits->piece = limits->whole / OFFSET_UNIT * OFFSET_UNIT;
		limits->last = limits->whole;
		limits->longest = FRAGMENT_PAYLOAD_MAX_IP4;
		return true;
	}
	if (family == 6 && mtu >= FRAGMENT_MTU_MIN_IP6) {
		limits->whole = mtu - IP6_HEADER_BYTES;
		limits->piece =
			(limits->whole - IP6_FRAGMENT_HEADER_BYTES) / OFFSET_UNIT * OFFSET_UNIT;
		limits->last = limits->piece;
		limits->longest = FRAGMENT_PAYLOAD_MAX_IP6;
		return true;
	}
	return false;
}

bool fragment_plan_make(struct fragment_plan *plan, uint8_t family, uint32_t mtu,
			uint32_t payload_bytes)
{
	struct limits limits;
	uint32_t before_last = 0;

	if (!limits_of(family, mtu, &limits) || payload_bytes > limits.longest)
		return false;
	/* As many full pieces as it takes for the rest to fit into a last fragment. */
	if (payload_bytes > limits.whole)
		before_last = (payload_bytes - limits.last + limits.piece - 1) / limits.piece;
	plan->family = family;
	plan->mtu = mtu;
	plan->payload_bytes = payload_bytes;
	plan->count = before_last + 1;
	plan->header_bytes = family == 4 ? IP4_HEADER_BYTES : IP6_HEADER_BYTES;
	if (family == 6 && before_last > 0)
		plan->header_bytes += IP6_FRAGMENT_HEADER_BYTES;
	plan->last_bytes = payload_bytes - before_last * limits.piece;
	plan->piece_bytes = before_last > 0 ? limits.piece : plan->last_bytes;
	return true;
}

bool fragment_at(const struct fragment_plan *plan, uint32_t index, struct fragment *fragment)
{
	if (index >= plan->count)
		return false;
	fragment->more = index + 1 < plan->count;
	fragment->offset = index * plan->piece_bytes;
	fragment->payload_bytes = fragment->more ? plan->piece_bytes : plan->last_bytes;
	fragment->packet_bytes = fragment->payload_bytes + plan->header_bytes;
	return true;
}

/* The sum over all packets of a function of the packet's IP bytes. */
static uint64_t sum_over(const struct fragment_plan *plan, uint32_t (*bytes_of)(uint32_t ip_bytes))
{
	uint64_t before_last = plan->count - 1;

	return before_last * bytes_of(plan->piece_bytes + plan->header_bytes) +
	       bytes_of(plan->last_bytes + plan->header_bytes);
}

static uint32_t same(uint32_t ip_bytes)
{
	return ip_bytes;
}

uint64_t fragment_ip_bytes(const struct fragment_plan *plan)
{
	return sum_over(plan, same);
}

uint64_t fragment_frame_bytes(const struct fragment_plan *plan)
{
	return sum_over(plan, ethernet_frame_bytes);
}

uint64_t fragment_wire_bytes(const struct fragment_plan *plan)
{
	return sum_over(plan, ethernet_wire_bytes);
}

bool fragment_overhead(const struct fragment_plan *plan, double *ratio)
{
	double data;

	if (plan->payload_bytes <= FRAGMENT_ECHO_HEADER_BYTES)
		return false;
	data = (double)(plan->payload_bytes - FRAGMENT_ECHO_HEADER_BYTES);
	*ratio = ((double)fragment_wire_bytes(plan) - data) / data;
	return true;
}

uint32_t fragment_payload_max(uint8_t family, uint32_t mtu, uint32_t count)
{
	struct limits limits;
	uint64_t payload;

	if (count == 0 || !limits_of(family, mtu, &limits))
		return 0;
	/* In IPv6 two small fragments can hold less than one whole packet, but never will: at the
	 * least MTU two pieces are already longer. */
	payload = count == 1 ? limits.whole : (uint64_t)(count - 1) * limits.piece + limits.last;
	return (uint32_t)min_u64(payload, limits.longest);
}

bool fragment_id_repeat_ns(uint8_t family, double datagrams_per_s, double *repeat_ns)
{
	double identifications = family == 4 ? 0x1p16 : 0x1p32;

	if ((family != 4 && family != 6) || !(datagrams_per_s > 0.0) || isinf(datagrams_per_s))
		return false;
	*repeat_ns = identifications / datagrams_per_s * (double)NANOSECONDS_PER_SECOND;
	return true;
}

uint64_t fragment_pinned_bytes(const struct fragment_plan *plan)
{
	uint64_t bytes = plan->piece_bytes + plan->header_bytes;
	uint64_t each = max_u64(bytes * PINNED_BYTES, (uint64_t)PINNED_LEAST * PINNED_PACKET);

	return ((uint64_t)(plan->count - 1) * each + PINNED_PACKET / 2) / PINNED_PACKET;
}

double fragment_loss(double datagram_loss, uint32_t fragments)
{
	if (fragments <= 1)
		return datagram_loss;
	if (datagram_loss <= 0.0)
		return 0.0;
	if (datagram_loss >= 1.0)
		return 1.0;
	return -expm1(log1p(-datagram_loss) / (double)fragments);
}
