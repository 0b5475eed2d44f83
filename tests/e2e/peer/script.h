/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The script after reading: rules, in the order of the file. A rule says which requests (or
 * fragments) it is for and how each is answered; an answer is a row of operations, kept in the
 * order written, which plan.c reads for the time and make.c for the bytes. The language itself is
 * described in README.md.
 */
#ifndef FPING_BENCH_PEER_SCRIPT_H
#define FPING_BENCH_PEER_SCRIPT_H

#include "packet.h"
#include "text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SCRIPT_RULES_MAX = 256,
	RULE_CONDITIONS_MAX = 12,
	RULE_ANSWERS_MAX = 16,
	ANSWER_OPERATIONS_MAX = 48,
	OPERATION_VALUES_MAX = 64,
	SCRIPT_ERROR_TEXT = 256,
};

enum condition_kind {
	CONDITION_REQUEST,
	CONDITION_EVERY,
	CONDITION_CHANCE,
	CONDITION_SEQUENCE,
	CONDITION_ID,
	CONDITION_DESTINATION,
	CONDITION_SOURCE,
	CONDITION_FAMILY,
	CONDITION_SIZE,
	CONDITION_PACKET,
	CONDITION_FRAGMENTS,
	CONDITION_TIME,
	CONDITION_DONT_FRAGMENT,
};

struct condition {
	enum condition_kind kind;
	bool negated;
	int64_t a, b;
	struct ranges ranges;
	struct address address;
	unsigned int prefix;
};

enum operation_kind {
	/* what is sent at all */
	OPERATION_DROP,
	OPERATION_REPLY,
	OPERATION_ERROR,
	OPERATION_FORGED,
	OPERATION_ROUTER_ADVERTISEMENT,
	OPERATION_NEIGHBOUR_ADVERTISEMENT,
	OPERATION_NEIGHBOUR_SOLICITATION,
	OPERATION_ICMP,
	OPERATION_PACKET,
	OPERATION_STUCK,
	OPERATION_CONTINUE,
	/* when and how often */
	OPERATION_DELAY,
	OPERATION_SERVICE,
	OPERATION_QUEUE,
	OPERATION_LIMIT,
	OPERATION_BURST,
	OPERATION_HOLD,
	OPERATION_STALL,
	OPERATION_REPEAT,
	OPERATION_SPACING,
	OPERATION_REPEAT_AT,
	OPERATION_PAUSE,
	/* the ICMP message */
	OPERATION_TRUNCATE,
	OPERATION_HALF,
	OPERATION_LENGTHEN,
	OPERATION_ICMP_LENGTH,
	OPERATION_CORRUPT,
	OPERATION_CORRUPT_UNREPAIRED,
	OPERATION_SET,
	OPERATION_MUTATE,
	OPERATION_MIX,
	OPERATION_WRONG_ID,
	OPERATION_WRONG_SEQUENCE,
	OPERATION_WRONG_TAG,
	OPERATION_WRONG_CHECKSUM,
	OPERATION_TYPE,
	OPERATION_CODE,
	OPERATION_MTU,
	OPERATION_POINTER,
	/* the quote in an error */
	OPERATION_QUOTE,
	OPERATION_QUOTED_IHL,
	OPERATION_QUOTED_OPTIONS,
	OPERATION_QUOTED_PROTOCOL,
	OPERATION_QUOTED_SOURCE,
	OPERATION_QUOTED_DESTINATION,
	OPERATION_QUOTED_ID,
	OPERATION_QUOTED_SEQUENCE,
	OPERATION_QUOTED_OFFSET,
	OPERATION_QUOTED_LENGTH,
	/* the IP header and the fragments */
	OPERATION_FROM,
	OPERATION_WRONG_SOURCE,
	OPERATION_WRONG_HEADER_CHECKSUM,
	OPERATION_TTL,
	OPERATION_TOS,
	OPERATION_OPTIONS,
	OPERATION_FRAGMENT,
	OPERATION_FRAGMENT_NONE,
	OPERATION_FRAGMENT_ATOMIC,
	OPERATION_ORDER,
	OPERATION_SKIP,
	OPERATION_TWICE,
	OPERATION_OVERLAP,
};

enum fragment_order {
	ORDER_FORWARD,
	ORDER_REVERSE,
	ORDER_ODD_EVEN,
	ORDER_RANDOM
};

/* Names for errors that are numbered differently in the two families. */
enum error_name {
	ERROR_BY_NUMBER,
	ERROR_NET_UNREACHABLE,
	ERROR_HOST_UNREACHABLE,
	ERROR_PORT_UNREACHABLE,
	ERROR_PROHIBITED,
	ERROR_TOO_BIG,
	ERROR_TIME_EXCEEDED,
	ERROR_REASSEMBLY,
	ERROR_PARAMETER,
	ERROR_NAMES,
};

/* One word with its values; which of a, b, relative, values, bytes are used depends on the kind. */
struct operation {
	enum operation_kind kind;
	int64_t a, b;
	bool relative;
	int count;
	int64_t *times;		   /* repeat at */
	struct address *addresses; /* from, wrong source, quoted-source, quoted-destination */
	struct ranges *ranges;	   /* skip, twice */
	uint8_t *bytes;
	size_t length;
	int64_t bucket_ns; /* state of "limit": when its bucket was last empty, a credit in time */
	bool bucket_used;
};

struct answer {
	int count;
	struct operation operation[ANSWER_OPERATIONS_MAX];
};

enum rule_kind {
	RULE_REQUEST,
	RULE_FRAGMENT,
	RULE_INCOMPLETE,
	RULE_AT
};

struct rule {
	enum rule_kind kind;
	int line;
	int64_t hits;
	int64_t at_ns;		 /* RULE_AT */
	struct ranges fragments; /* RULE_FRAGMENT: by order of arrival, when not by position */
	bool first, rest, last;	 /* RULE_FRAGMENT: by position */
	bool goes_on;		 /* has "continue" */
	int conditions;
	struct condition condition[RULE_CONDITIONS_MAX];
	int answers;
	struct answer answer[RULE_ANSWERS_MAX];
};

struct script {
	int count;
	struct rule *rule[SCRIPT_RULES_MAX];
	bool seed_given;
	int64_t seed;
	int64_t reassembly_ns; /* 0: not said */
	struct address router4, router6;
	bool keeps_requests; /* some answer mixes requests */
	char error[SCRIPT_ERROR_TEXT];
};

/* The words of one statement, while it is read. */
struct words {
	struct script *script;
	const char *file;
	int line;
	int count;
	int at;
	char *word[512];
};

/*
 * Read the whole text of a script (which is altered on the way). 0, or -1 with script->error set.
 */
int script_read(struct script *script, const char *file, char *text);
void script_free(struct script *script);

/* The next word, or NULL at the end of the statement; words_take goes past it. */
const char *words_peek(const struct words *words);
const char *words_take(struct words *words);
bool words_take_if(struct words *words, const char *word);

/* Set the error "FILE:LINE: ..." and return false. */
bool words_fail(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Read the answers of a rule up to the end of the statement (actions.c). */
bool actions_read(struct words *words, struct rule *rule);

/* Read the part of a rule before the colon, up to the word at end (conditions.c). */
bool conditions_read(struct words *words, struct rule *rule, int end);

#endif
