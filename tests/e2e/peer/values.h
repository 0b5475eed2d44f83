/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading the values of action words. Every reader takes what belongs to its word from the
 * statement, stores it in the operation and returns true, or sets the error of the script and
 * returns false. The bounds are those of the row of the word.
 */
#ifndef FPING_BENCH_PEER_VALUES_H
#define FPING_BENCH_PEER_VALUES_H

#include "script.h"

struct action_word {
	const char *name;
	enum operation_kind kind;
	bool (*read)(struct words *, const struct action_word *, struct operation *);
	int64_t low, high;
};

/* Set the error "NAME: cannot use VALUE", or that the value is missing; returns false. */
bool value_refused(struct words *words, const char *name, const char *value);

/* The word stands alone. */
bool value_nothing(struct words *words, const struct action_word *word,
		   struct operation *operation);

/* a: a number within the bounds. */
bool value_number(struct words *words, const struct action_word *word, struct operation *operation);

/* a: the same, or with + or - in front (relative). */
bool value_relative(struct words *words, const struct action_word *word,
		    struct operation *operation);

/* a: a time. */
bool value_time(struct words *words, const struct action_word *word, struct operation *operation);

/* a and b: a range of times, or one time as both. */
bool value_time_range(struct words *words, const struct action_word *word,
		      struct operation *operation);

/* ranges: a list of numbers, or first, rest, last, all. */
bool value_ranges(struct words *words, const struct action_word *word, struct operation *operation);

/* bytes and length: hexadecimal bytes, at most the upper bound. */
bool value_hex(struct words *words, const struct action_word *word, struct operation *operation);

/* a: a relative number, or nothing, which means +1. */
bool value_wrong(struct words *words, const struct action_word *word, struct operation *operation);

/* addresses and count: at least one address, at most the upper bound. */
bool value_addresses(struct words *words, const struct action_word *word,
		     struct operation *operation);

#endif
