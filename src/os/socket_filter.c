/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The filter programs, written with names instead of distances: an instruction that ends the
 * program by jumping says ACCEPT or REJECT, and the distances are worked out when all
 * instructions are there. A load past the end of the packet drops it (the kernel's rule), so
 * every length is compared before what it allows is loaded.
 */
#include "os/socket_filter.h"

enum target {
	NEXT = 0,   /* the following instruction */
	ACCEPT = 250,
	REJECT = 251,
	OTHER = 252, /* the part for what is no reply */
	ERROR = 253, /* the part that looks into a quote */
};

/* Offsets in an ICMP packet and in the packet that it quotes. */
enum {
	TYPE = 0,
	IDENTIFIER = 4,
	QUOTE = 8,
	VERSION = 0,
	IP4_FRAGMENT = 6,
	IP4_PROTOCOL = 9,
	IP4_BYTES = 20,
	IP6_NEXT_HEADER = 6,
	IP6_BYTES = 40,
};

static void add(struct socket_filter *filter, unsigned code, uint32_t operand, enum target if_true,
		enum target if_false)
{
	filter->instructions[filter->count] = (struct sock_filter){
		.code = (uint16_t)code,
		.jt = (uint8_t)if_true,
		.jf = (uint8_t)if_false,
		.k = operand,
	};
	filter->count++;
}

static void step(struct socket_filter *filter, unsigned code, uint32_t operand)
{
	add(filter, code, operand, NEXT, NEXT);
}

static void jump(struct socket_filter *filter, unsigned comparison, uint32_t operand,
		 enum target if_true, enum target if_false)
{
	add(filter, BPF_JMP | BPF_K | comparison, operand, if_true, if_false);
}

static uint8_t distance(uint8_t target, unsigned from, unsigned other, unsigned error,
			unsigned accept)
{
	switch (target) {
	case ACCEPT:
		return (uint8_t)(accept - from - 1);
	case REJECT:
		return (uint8_t)(accept + 1 - from - 1);
	case OTHER:
		return (uint8_t)(other - from - 1);
	case ERROR:
		return (uint8_t)(error - from - 1);
	default:
		return 0;
	}
}

/*
 * Adds the two ends and turns names into distances; `other` and `error` are where those start, and
 * `kept` is how many bytes of an accepted packet are delivered.
 */
static void finish(struct socket_filter *filter, unsigned other, unsigned error, uint32_t kept)
{
	unsigned accept = filter->count;

	step(filter, BPF_RET | BPF_K, kept);
	step(filter, BPF_RET | BPF_K, 0);
	for (unsigned i = 0; i < accept; i++) {
		struct sock_filter *at = &filter->instructions[i];

		if (BPF_CLASS(at->code) != BPF_JMP)
			continue;
		at->jt = distance(at->jt, i, other, error, accept);
		at->jf = distance(at->jf, i, other, error, accept);
	}
}

void socket_filter_build_icmp4(struct socket_filter *filter, uint16_t identifier)
{
	static const uint8_t errors[] = {3, 4, 5, 11, 12};
	unsigned other, error;

	filter->count = 0;
	/*
	 * X: length of the IP header, so that BPF_IND loads count from the ICMP header. Replies
	 * come first: they are the many.
	 */
	step(filter, BPF_LDX | BPF_B | BPF_MSH, 0);
	step(filter, BPF_LD | BPF_B | BPF_IND, TYPE);
	jump(filter, BPF_JEQ, 0, NEXT, OTHER);
	step(filter, BPF_LD | BPF_W | BPF_LEN, 0);
	step(filter, BPF_ALU | BPF_SUB | BPF_X, 0);
	jump(filter, BPF_JGE, IDENTIFIER + 2, NEXT, ACCEPT);
	step(filter, BPF_LD | BPF_H | BPF_IND, IDENTIFIER);
	jump(filter, BPF_JEQ, identifier, ACCEPT, REJECT);

	other = filter->count;
	for (size_t i = 0; i < ARRAY_LENGTH(errors); i++)
		jump(filter, BPF_JEQ, errors[i], ERROR, NEXT);
	step(filter, BPF_RET | BPF_K, 0);

	error = filter->count;
	step(filter, BPF_LD | BPF_W | BPF_LEN, 0);
	step(filter, BPF_ALU | BPF_SUB | BPF_X, 0);
	jump(filter, BPF_JGE, QUOTE + IP4_BYTES, NEXT, ACCEPT);
	step(filter, BPF_LD | BPF_B | BPF_IND, QUOTE + IP4_PROTOCOL);
	jump(filter, BPF_JEQ, 1, NEXT, REJECT);
	step(filter, BPF_LD | BPF_H | BPF_IND, QUOTE + IP4_FRAGMENT);
	jump(filter, BPF_JSET, 0x1fff, ACCEPT, NEXT); /* not the first fragment: no identifier */
	step(filter, BPF_LD | BPF_B | BPF_IND, QUOTE);
	step(filter, BPF_ALU | BPF_AND | BPF_K, 0x0f);
	jump(filter, BPF_JGE, IP4_BYTES / 4, NEXT, ACCEPT);
	/* X: lengths of both IP headers */
	step(filter, BPF_ALU | BPF_LSH | BPF_K, 2);
	step(filter, BPF_ALU | BPF_ADD | BPF_X, 0);
	step(filter, BPF_MISC | BPF_TAX, 0);
	step(filter, BPF_LD | BPF_W | BPF_LEN, 0);
	step(filter, BPF_ALU | BPF_SUB | BPF_X, 0);
	jump(filter, BPF_JSET, 0x80000000, ACCEPT, NEXT); /* the quoted header alone is too long */
	jump(filter, BPF_JGE, QUOTE + IDENTIFIER + 2, NEXT, ACCEPT);
	step(filter, BPF_LD | BPF_B | BPF_IND, QUOTE + TYPE);
	jump(filter, BPF_JEQ, 8, NEXT, REJECT);
	step(filter, BPF_LD | BPF_H | BPF_IND, QUOTE + IDENTIFIER);
	jump(filter, BPF_JEQ, identifier, ACCEPT, REJECT);
	finish(filter, other, error, UINT32_MAX);
}

void socket_filter_build_icmp6(struct socket_filter *filter, uint16_t identifier)
{
	/* hop-by-hop, routing, fragment, authentication, destination options, mobility */
	static const uint8_t extensions[] = {0, 43, 44, 51, 60, 135};
	unsigned other, error;

	filter->count = 0;
	step(filter, BPF_LD | BPF_B | BPF_ABS, TYPE);
	jump(filter, BPF_JEQ, 129, NEXT, OTHER);
	step(filter, BPF_LD | BPF_W | BPF_LEN, 0);
	jump(filter, BPF_JGE, IDENTIFIER + 2, NEXT, ACCEPT);
	step(filter, BPF_LD | BPF_H | BPF_ABS, IDENTIFIER);
	jump(filter, BPF_JEQ, identifier, ACCEPT, REJECT);

	other = filter->count;
	for (uint32_t type = 1; type <= 4; type++)
		jump(filter, BPF_JEQ, type, ERROR, NEXT);
	step(filter, BPF_RET | BPF_K, 0);

	error = filter->count;
	step(filter, BPF_LD | BPF_W | BPF_LEN, 0);
	jump(filter, BPF_JGE, QUOTE + IP6_BYTES, NEXT, ACCEPT);
	step(filter, BPF_LD | BPF_B | BPF_ABS, QUOTE + IP6_NEXT_HEADER);
	for (size_t i = 0; i < ARRAY_LENGTH(extensions); i++)
		jump(filter, BPF_JEQ, extensions[i], ACCEPT, NEXT);
	jump(filter, BPF_JEQ, 58, NEXT, REJECT);
	step(filter, BPF_LD | BPF_W | BPF_LEN, 0);
	jump(filter, BPF_JGE, QUOTE + IP6_BYTES + IDENTIFIER + 2, NEXT, ACCEPT);
	step(filter, BPF_LD | BPF_B | BPF_ABS, QUOTE + IP6_BYTES + TYPE);
	jump(filter, BPF_JEQ, 128, NEXT, REJECT);
	step(filter, BPF_LD | BPF_H | BPF_ABS, QUOTE + IP6_BYTES + IDENTIFIER);
	jump(filter, BPF_JEQ, identifier, ACCEPT, REJECT);
	finish(filter, other, error, UINT32_MAX);
}

void socket_filter_build_fragments(struct socket_filter *filter, uint32_t kept)
{
	/* fragment; hop-by-hop, routing and destination options, behind which one may stand */
	static const uint8_t headers[] = {44, 0, 43, 60};
	unsigned other;

	filter->count = 0;
	step(filter, BPF_LD | BPF_B | BPF_ABS, VERSION);
	step(filter, BPF_ALU | BPF_RSH | BPF_K, 4);
	jump(filter, BPF_JEQ, 4, NEXT, OTHER);
	step(filter, BPF_LD | BPF_B | BPF_ABS, IP4_PROTOCOL);
	jump(filter, BPF_JEQ, 1, NEXT, REJECT);
	step(filter, BPF_LD | BPF_H | BPF_ABS, IP4_FRAGMENT);
	jump(filter, BPF_JSET, 0x3fff, ACCEPT, REJECT); /* more fragments, or an offset */

	other = filter->count;
	jump(filter, BPF_JEQ, 6, NEXT, REJECT);
	step(filter, BPF_LD | BPF_B | BPF_ABS, IP6_NEXT_HEADER);
	for (size_t i = 0; i < ARRAY_LENGTH(headers); i++)
		jump(filter, BPF_JEQ, headers[i], ACCEPT, NEXT);
	step(filter, BPF_RET | BPF_K, 0);
	finish(filter, other, other, kept);
}
