/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a caller who is not root may not do, one rule after the other, so that everything that is
 * wrong is said at once.
 */
#include "core/configuration.h"

#include <string.h>

#include "base/format.h"

static bool is_interval(const struct configuration *configuration)
{
	return configuration_mode(configuration)[0] == 'i';
}

static bool text_is(const char *text, const char *wanted)
{
	while (*text == *wanted && *text != '\0') {
		text++;
		wanted++;
	}
	return *text == *wanted;
}

/* Formats into a member of a refusal; base's error carries the only formatter that core has. */
#define REFUSAL_FORMAT(member, ...)                                                                \
	do {                                                                                       \
		struct error formatted;                                                            \
		(void)error_set(&formatted, ERROR_REFUSED, __VA_ARGS__);                           \
		memcpy((member), formatted.text, sizeof(member) - 1);                              \
		(member)[sizeof(member) - 1] = '\0';                                               \
	} while (0)

static void refuse_flood(const struct configuration *configuration, struct refusal *refusal)
{
	refusal->rule = "user.flood";
	if (configuration->depth > 0)
		REFUSAL_FORMAT(refusal->asked, "--depth %u", configuration->depth);
	else
		REFUSAL_FORMAT(refusal->asked, "-f");
	REFUSAL_FORMAT(refusal->limit, "interval 2 ms");
	REFUSAL_FORMAT(refusal->text,
		       "%s sends as fast as replies come back, which is for root (rule "
		       "user.flood): use -i 2ms",
		       refusal->asked);
}

static void refuse_interval(int64_t interval_ns, struct refusal *refusal)
{
	char asked[FORMAT_LENGTH];

	refusal->rule = "user.min-interval";
	REFUSAL_FORMAT(refusal->asked, "%s", format_duration_exact(interval_ns, asked));
	REFUSAL_FORMAT(refusal->limit, "2 ms");
	REFUSAL_FORMAT(refusal->text,
		       "an interval of %s is below 2 ms, which is for root (rule "
		       "user.min-interval): use -i 2ms",
		       refusal->asked);
}

static void refuse_rate(double per_s, struct refusal *refusal)
{
	char asked[FORMAT_LENGTH];

	refusal->rule = "user.rate";
	REFUSAL_FORMAT(refusal->asked, "%s", format_rate(per_s, asked));
	REFUSAL_FORMAT(refusal->limit, "500/s");
	REFUSAL_FORMAT(refusal->text,
		       "%s over all hosts is above 500/s, which is for root (rule user.rate): "
		       "raise -i, or name fewer hosts",
		       refusal->asked);
}

static void refuse_preload(uint32_t preload, struct refusal *refusal)
{
	refusal->rule = "user.preload";
	REFUSAL_FORMAT(refusal->asked, "%u", preload);
	REFUSAL_FORMAT(refusal->limit, "%u", CONFIGURATION_USER_PRELOAD_MAX);
	REFUSAL_FORMAT(refusal->text,
		       "a preload of %u is above %u, which is for root (rule user.preload): use -l "
		       "%u",
		       preload, CONFIGURATION_USER_PRELOAD_MAX, CONFIGURATION_USER_PRELOAD_MAX);
}

static void refuse_mark(uint32_t mark, struct refusal *refusal)
{
	refusal->rule = "user.mark";
	REFUSAL_FORMAT(refusal->asked, "%u", mark);
	REFUSAL_FORMAT(refusal->limit, "none");
	REFUSAL_FORMAT(refusal->text,
		       "a mark can lead packets around the routing and the filters of this host, "
		       "so -m is for root (rule user.mark): leave it out");
}

static void refuse_broadcast(int64_t interval_ns, struct refusal *refusal)
{
	char asked[FORMAT_LENGTH];

	refusal->rule = "user.broadcast-interval";
	REFUSAL_FORMAT(refusal->asked, "%s", format_duration_exact(interval_ns, asked));
	REFUSAL_FORMAT(refusal->limit, "1 s");
	REFUSAL_FORMAT(refusal->text,
		       "-b with an interval of %s is below 1 s, which is for root (rule "
		       "user.broadcast-interval): use -i 1",
		       refusal->asked);
}

static void refuse_harm(struct refusal *refusal)
{
	refusal->rule = "user.allow-harm";
	REFUSAL_FORMAT(refusal->asked, "--allow-harm");
	REFUSAL_FORMAT(refusal->limit, "none");
	REFUSAL_FORMAT(refusal->text,
		       "lost fragments fill the other host's reassembly memory for everybody, so "
		       "--allow-harm is for root (rule user.allow-harm): leave it out");
}

uint32_t configuration_refusals(const struct configuration *configuration, bool is_root,
				struct refusal refusals[static CONFIGURATION_REFUSALS_MAX])
{
	uint32_t targets = configuration->target_count > 0 ? configuration->target_count : 1;
	int64_t interval_ns = configuration_interval_ns(configuration, targets);
	uint32_t count = 0;

	/* The simulated network is nobody's: everybody may do everything there. */
	if (is_root || text_is(configuration->transport, "sim"))
		return 0;
	if (!is_interval(configuration))
		refuse_flood(configuration, &refusals[count++]);
	else if (interval_ns < CONFIGURATION_USER_INTERVAL_MIN_NS)
		refuse_interval(interval_ns, &refusals[count++]);
	else if (interval_ns / targets < CONFIGURATION_USER_INTERVAL_MIN_NS)
		refuse_rate(targets * 1e9 / (double)interval_ns, &refusals[count++]);
	if (configuration->preload > CONFIGURATION_USER_PRELOAD_MAX)
		refuse_preload(configuration->preload, &refusals[count++]);
	if (configuration->has_mark)
		refuse_mark(configuration->mark, &refusals[count++]);
	if (configuration->allow_harm)
		refuse_harm(&refusals[count++]);
	if (configuration->allow_broadcast && is_interval(configuration) &&
	    interval_ns < NANOSECONDS_PER_SECOND)
		refuse_broadcast(interval_ns, &refusals[count++]);
	return count;
}
