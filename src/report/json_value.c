/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values for the JSON report, by jansson. The text conversion is our own because arguments and
 * names are bytes from outside, and jansson refuses what is not UTF-8 instead of mending it.
 */
#include "report/json_value.h"

#include <stdio.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

void json_put(struct json_document *document, json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value) != 0)
		document->has_failed = true;
}

void json_append(struct json_document *document, json_t *array, json_t *value)
{
	if (json_array_append_new(array, value) != 0)
		document->has_failed = true;
}

json_t *json_from_count(uint64_t count)
{
	return count > INT64_MAX ? json_null() : json_integer((json_int_t)count);
}

json_t *json_from_count_unless_zero(uint64_t count)
{
	return count == 0 ? json_null() : json_from_count(count);
}

json_t *json_from_ns_unless_zero(int64_t ns)
{
	return ns == 0 ? json_null() : json_integer(ns);
}

json_t *json_from_number(double number)
{
	if (!isfinite(number))
		return json_null();
	/* Adding zero makes a negative zero a plain one. */
	return json_real(number + 0.0);
}

json_t *json_from_maybe(const struct maybe *maybe)
{
	return maybe->known ? json_from_number(maybe->value) : json_null();
}

json_t *json_from_maybe_count(const struct maybe *maybe)
{
	return maybe->known ? json_integer((json_int_t)llround(maybe->value)) : json_null();
}

json_t *json_from_time(const struct json_document *document, int64_t ns)
{
	return json_integer(result_shown_ns(document->result, ns));
}

json_t *json_from_mean_time(const struct json_document *document, double ns)
{
	if (document->result->clock.is_coarse)
		return json_from_time(document, (int64_t)llround(ns));
	return json_from_number(ns);
}

json_t *json_from_maybe_time(const struct json_document *document, const struct maybe *maybe)
{
	return maybe->known ? json_from_mean_time(document, maybe->value) : json_null();
}

json_t *json_from_interval(struct json_document *document, const struct maybe_interval *interval)
{
	json_t *array;

	if (!interval->known)
		return json_null();
	array = json_array();
	json_append(document, array, json_from_number(interval->low));
	json_append(document, array, json_from_number(interval->high));
	return array;
}

/*
 * Bytes of the UTF-8 character at `bytes`, 0 if there is none (RFC 3629: no overlong forms, no
 * surrogates, nothing above U+10FFFF). The NUL at the end stops every sequence.
 */
static size_t character_bytes(const unsigned char *bytes)
{
	unsigned low = 0x80, high = 0xbf;
	size_t size;

	if (bytes[0] < 0x80)
		return 1;
	if (bytes[0] < 0xc2 || bytes[0] > 0xf4)
		return 0;
	size = bytes[0] < 0xe0 ? 2 : bytes[0] < 0xf0 ? 3 : 4;
	if (bytes[0] == 0xe0)
		low = 0xa0;
	else if (bytes[0] == 0xed)
		high = 0x9f;
	else if (bytes[0] == 0xf0)
		low = 0x90;
	else if (bytes[0] == 0xf4)
		high = 0x8f;
	if (bytes[1] < low || bytes[1] > high)
		return 0;
	for (size_t i = 2; i < size; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
	}
	return size;
}

json_t *json_from_argument(const char *text)
{
	const size_t replacement_bytes = sizeof(replacement) - 1;
	char *mended = malloc(strlen(text) * replacement_bytes + 1);
	size_t used = 0;
	json_t *value;

	if (mended == NULL)
		return NULL;
	while (*text != '\0') {
		size_t size = character_bytes((const unsigned char *)text);

		memcpy(mended + used, size > 0 ? text : replacement,
		       size > 0 ? size : replacement_bytes);
		used += size > 0 ? size : replacement_bytes;
		text += size > 0 ? size : 1;
	}
	value = json_stringn(mended, used);
	free(mended);
	return value;
}

json_t *json_from_text(const char *text)
{
	return text == NULL || text[0] == '\0' ? json_null() : json_from_argument(text);
}

void json_put_estimate(struct json_document *document, json_t *object, const char *key,
		       const struct estimate *estimate)
{
	struct maybe_interval interval = {estimate->known, estimate->low, estimate->high};
	char interval_key[JSON_KEY_LENGTH];

	(void)snprintf(interval_key, sizeof(interval_key), "%s_ci95", key);
	json_put(document, object, key,
		 estimate->known ? json_from_number(estimate->value) : json_null());
	json_put(document, object, interval_key, json_from_interval(document, &interval));
}
