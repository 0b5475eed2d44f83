/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From our values to JSON's. What is unknown becomes null here and nowhere else: no report can
 * print a nan, an infinity, a negative zero, or a text that is not UTF-8. A failed allocation is
 * remembered in the document, so that building needs no check at every line.
 */
#ifndef FPING_BENCH_REPORT_JSON_VALUE_H
#define FPING_BENCH_REPORT_JSON_VALUE_H

#include <jansson.h>

#include "core/result.h"

#define JSON_KEY_LENGTH 64 /* most, with what is added to it */

struct json_document {
	const struct result *result; /* what it is made of */
	bool has_failed; /* something could not be allocated: the document must not be used */
};

/* Sets a member or appends an element; takes the value over. */
void json_put(struct json_document *document, json_t *object, const char *key, json_t *value);
void json_append(struct json_document *document, json_t *array, json_t *value);

/* A count; null above 2^63 - 1, which JSON's readers cannot hold. */
json_t *json_from_count(uint64_t count);

/* The same for numbers whose zero means "unknown" or "not asked for": null. */
json_t *json_from_count_unless_zero(uint64_t count);
json_t *json_from_ns_unless_zero(int64_t ns);

/* A real number; null if it is not finite. */
json_t *json_from_number(double number);
json_t *json_from_maybe(const struct maybe *maybe);

/* A number that is a count: whole. */
json_t *json_from_maybe_count(const struct maybe *maybe);

/*
 * A time that the run's clock has measured, in ns: not finer than the clock could tell. A mean
 * has decimals where the clock is not coarse.
 */
json_t *json_from_time(const struct json_document *document, int64_t ns);
json_t *json_from_mean_time(const struct json_document *document, double ns);
json_t *json_from_maybe_time(const struct json_document *document, const struct maybe *maybe);

/* [low, high], or null. */
json_t *json_from_interval(struct json_document *document, const struct maybe_interval *interval);

/* A text; null if it is NULL or empty. Bytes that are no UTF-8 become U+FFFD one by one. */
json_t *json_from_text(const char *text);

/* The same, but an empty text stays one. */
json_t *json_from_argument(const char *text);

/* "D" of the schema; null for NULL. */
json_t *json_from_histogram(struct json_document *document, const struct histogram *histogram);

/* The same of what each sample is above the least one (RFC 5481 section 4.2: PDV). */
json_t *json_from_variation(struct json_document *document, const struct histogram *histogram);

/* Puts the value under key and its interval under "key_ci95"; both null when not known. */
void json_put_estimate(struct json_document *document, json_t *object, const char *key,
		       const struct estimate *estimate);

#endif
