/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a capture belongs in the reports, which both of them ask.
 */
#include "core/result_capture.h"

/* Both are arrays of the same size with a NUL in them; core has no strcmp. */
static bool is_same(const char *a, const char *b, size_t size)
{
	size_t i = 0;

	while (i + 1 < size && a[i] == b[i] && a[i] != '\0')
		i++;
	return a[i] == b[i];
}

const struct result_target *result_capture_target(const struct result *result)
{
	const struct result_capture *capture = result->capture;

	for (uint32_t i = 0; capture != NULL && i < result->target_count; i++) {
		const struct result_target *target = &result->targets[i];

		if (target->error[0] == '\0' && is_same(target->interface, capture->interface,
							sizeof(capture->interface)))
			return target;
	}
	return NULL;
}
