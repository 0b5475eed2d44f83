/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What was asked, judged as a whole: modes, contradictions, products of limits, and what is for
 * root. Each row of a table is one question with the words that the answer must hold.
 */
#include "unit/unit.h"

#include <string.h>

#include "core/configuration.h"

#define MS NANOSECONDS_PER_MILLISECOND
#define US NANOSECONDS_PER_MICROSECOND
#define S NANOSECONDS_PER_SECOND

static struct configuration subject;

static void set_none(struct configuration *c) { (void)c; }
static void set_flood(struct configuration *c) { c->flood = true; }
static void set_flood_depth(struct configuration *c) { c->flood = true; c->depth = 8; }
static void set_flood_preload(struct configuration *c) { c->flood = true; c->preload = 64; }
static void set_flood_interval(struct configuration *c) { c->flood = true; c->interval_ns = MS; }
static void set_flood_rate(struct configuration *c) { c->flood = true; c->rate_per_s = 100; }
static void set_depth(struct configuration *c) { c->depth = 64; }
static void set_preload(struct configuration *c) { c->preload = 3; }
static void set_preload_4(struct configuration *c) { c->preload = 4; }
static void set_rate(struct configuration *c) { c->rate_per_s = 100; }
static void set_rate_501(struct configuration *c) { c->rate_per_s = 501; c->target_count = 10; }
static void set_10_ms(struct configuration *c) { c->interval_ns = 10 * MS; }
static void set_2_ms(struct configuration *c) { c->interval_ns = 2 * MS; }
static void set_below_2_ms(struct configuration *c) { c->interval_ns = 2 * MS - 1; }
static void set_mark(struct configuration *c) { c->has_mark = true; c->mark = 7; }
static void set_broadcast(struct configuration *c) { c->allow_broadcast = true; }

static void set_broadcast_fast(struct configuration *c)
{
	c->allow_broadcast = true;
	c->interval_ns = 10 * MS;
}

static void set_everything(struct configuration *c)
{
	c->interval_ns = MS;
	c->preload = 100;
	c->has_mark = true;
	c->allow_broadcast = true;
}

static void set_simulated_flood(struct configuration *c)
{
	c->flood = true;
	c->transport = "sim";
}

static void prepare(void (*set)(struct configuration *))
{
	configuration_defaults(&subject);
	subject.target_count = 1;
	set(&subject);
}

static void test_defaults(void)
{
	configuration_defaults(&subject);
	UNIT_UNSIGNED("payload", subject.payload_bytes, 56);
	UNIT_SIGNED("timeout", subject.timeout_ns, S);
	UNIT_SIGNED("interval", configuration_interval_ns(&subject, 1), S);
	UNIT_TEXT("mode", configuration_mode(&subject), "interval");
	UNIT_TEXT("transport", subject.transport, "auto");
	UNIT_TEXT("clock", subject.clock, "auto");
	UNIT_SIGNED("stamps", (int)subject.stamps, STAMPS_SPLIT);
	UNIT_SIGNED("path MTU", (int)subject.path_mtu, PATH_MTU_DEFAULT);
	UNIT_SIGNED("traffic class", subject.traffic_class, -1);
	UNIT_SIGNED("flow label", subject.flow_label, -1);
	UNIT_SIGNED("identifier", subject.identifier, -1);
	UNIT_UNSIGNED("mtu of the simulated network", subject.simulation.mtu, 1500);
	UNIT_CHECK(configuration_prints_replies(&subject), "reply lines are printed");
}

static void test_modes(void)
{
	static const struct {
		const char *label;
		void (*set)(struct configuration *);
		const char *mode;
		bool prints;
	} rows[] = {
		{"nothing", set_none, "interval", true},
		{"-f", set_flood, "flood", false},
		{"-f --depth", set_flood_depth, "flood", false},
		{"-f -l", set_flood_preload, "flood", false},
		{"-f -i: paced, no lines", set_flood_interval, "interval", false},
		{"-f --rate", set_flood_rate, "interval", false},
		{"--depth", set_depth, "depth", false},
		{"-l", set_preload, "interval", true},
		{"--rate 100", set_rate, "interval", false},
		{"-i 10ms", set_10_ms, "interval", false},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		prepare(rows[i].set);
		UNIT_TEXT(rows[i].label, configuration_mode(&subject), rows[i].mode);
		UNIT_SIGNED(rows[i].label, configuration_prints_replies(&subject), rows[i].prints);
	}
}

static void test_reply_lines(void)
{
	prepare(set_none);
	subject.interval_ns = 100 * MS;
	UNIT_CHECK(configuration_prints_replies(&subject), "at 0.1 s");
	subject.interval_ns = 100 * MS - 1;
	UNIT_CHECK(!configuration_prints_replies(&subject), "just below 0.1 s");
	prepare(set_none);
	subject.quiet = true;
	UNIT_CHECK(!configuration_prints_replies(&subject), "-q");
	prepare(set_none);
	subject.json = true;
	UNIT_CHECK(!configuration_prints_replies(&subject), "--json on standard output");
	subject.json_file = "file";
	UNIT_CHECK(configuration_prints_replies(&subject), "--json=FILE");
}

static void test_interval_from_rate(void)
{
	static const struct {
		const char *label;
		double rate;
		uint32_t targets;
		int64_t interval_ns;
	} rows[] = {
		{"1000/s", 1000, 1, MS},
		{"1000/s over 10", 1000, 10, 10 * MS},
		{"3/s", 3, 1, 333333333},
		{"1/3 rounds up", 1.5, 1, 666666667},
		{"no target yet", 1000, 0, MS},
		{"as slow as can be said", 1e-9, 1, CONFIGURATION_INTERVAL_MAX_NS},
		{"never 0", 1e12, 1, 1},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		prepare(set_none);
		subject.rate_per_s = rows[i].rate;
		UNIT_SIGNED(rows[i].label, configuration_interval_ns(&subject, rows[i].targets),
			    rows[i].interval_ns);
	}
}

static void wrong_depth_preload(struct configuration *c) { c->depth = 4; c->preload = 4; }
static void wrong_interval_rate(struct configuration *c) { c->interval_ns = S; c->rate_per_s = 1; }
static void wrong_depth_interval(struct configuration *c) { c->depth = 4; c->interval_ns = S; }
static void wrong_depth_rate(struct configuration *c) { c->depth = 4; c->rate_per_s = 10; }
static void wrong_broadcast_flood(struct configuration *c) { c->allow_broadcast = c->flood = true; }
static void wrong_size_4(struct configuration *c) { c->family = 4; c->payload_bytes = 65508; }
static void wrong_size_6(struct configuration *c) { c->family = 6; c->payload_bytes = 65528; }
static void wrong_size(struct configuration *c) { c->payload_bytes = 65528; }
static void wrong_flow_label(struct configuration *c) { c->family = 4; c->flow_label = 1; }
static void wrong_slots(struct configuration *c) { c->depth = 65536; c->target_count = 5; }
static void wrong_low_rate(struct configuration *c) { c->rate_per_s = 1e-6; c->target_count = 2; }
static void wrong_high_rate(struct configuration *c) { c->interval_ns = US; c->target_count = 2; }

static void wrong_waiting(struct configuration *c)
{
	c->interval_ns = 2 * US;
	c->timeout_ns = 3 * S;
}

static void wrong_broadcast_depth(struct configuration *c)
{
	c->allow_broadcast = true;
	c->depth = 1;
}

static void wrong_pattern(struct configuration *c)
{
	c->has_payload_kind = true;
	c->fixed_pattern_length = 1;
}

static void wrong_count(struct configuration *c)
{
	c->count = CONFIGURATION_COUNT_MAX;
	c->target_count = 2;
}

static void wrong_numbers_slots(struct configuration *c)
{
	c->payload_bytes = 15;
	c->depth = 40000;
	c->target_count = 2;
}

static void wrong_numbers_waiting(struct configuration *c)
{
	c->payload_bytes = 0;
	c->interval_ns = 10 * US;
}

static void right_numbers(struct configuration *c)
{
	c->payload_bytes = 15;
	c->depth = 65535;
}

static void right_size_4(struct configuration *c) { c->family = 4; c->payload_bytes = 65507; }
static void right_size_6(struct configuration *c) { c->family = 6; c->payload_bytes = 65527; }
static void right_size(struct configuration *c) { c->payload_bytes = 65508; }
static void right_slots(struct configuration *c) { c->depth = 65536; c->target_count = 4; }
static void right_count(struct configuration *c) { c->count = CONFIGURATION_COUNT_MAX; }
static void right_rate(struct configuration *c) { c->rate_per_s = 1e6; c->target_count = 3; }

static void right_waiting(struct configuration *c)
{
	c->interval_ns = 2 * US;
	c->timeout_ns = 3 * S;
	c->count = 1000;
}

static void right_cut(struct configuration *c)
{
	c->fragment_size = 64;
	c->fragment_order = FRAGMENT_REVERSE;
	c->has_fragment_order = true;
}

static void wrong_order_alone(struct configuration *c) { c->has_fragment_order = true; }

static void wrong_cut_mode(struct configuration *c)
{
	right_cut(c);
	c->path_mtu = PATH_MTU_DO;
}

static void wrong_cut_transport(struct configuration *c)
{
	right_cut(c);
	c->transport = "ping";
}

static void right_cut_transport(struct configuration *c)
{
	right_cut(c);
	c->transport = "raw";
}

static void test_validation(void)
{
	static const struct {
		const char *label;
		void (*set)(struct configuration *);
		const char *words; /* of the sentence; NULL: nothing is wrong */
	} rows[] = {
		{"nothing", set_none, NULL},
		{"-l with --depth", wrong_depth_preload, "--depth"},
		{"-i with --rate", wrong_interval_rate, "--rate"},
		{"--depth with -i", wrong_depth_interval, "-i"},
		{"--depth with --rate", wrong_depth_rate, "--rate"},
		{"-b with -f", wrong_broadcast_flood, "-b never goes with -f"},
		{"-b with --depth", wrong_broadcast_depth, "-b never goes with -f"},
		{"-4 -s 65508", wrong_size_4, "65507"},
		{"-6 -s 65528", wrong_size_6, "65527"},
		{"-s 65528", wrong_size, "65527"},
		{"-p with --payload", wrong_pattern, "--payload"},
		{"-F with -4", wrong_flow_label, "-F"},
		{"slots x targets", wrong_slots, "262144"},
		{"-c x targets", wrong_count, "-c"},
		{"rate over targets", wrong_low_rate, "--rate"},
		{"interval over targets", wrong_high_rate, "1000000/s"},
		{"waited for at once", wrong_waiting, "-W"},
		{"more slots than 16 bits tell apart", wrong_numbers_slots, "-s 16"},
		{"more waited for than 16 bits tell apart", wrong_numbers_waiting, "-s 16"},
		{"as many as 16 bits tell apart", right_numbers, NULL},
		{"-4 -s 65507", right_size_4, NULL},
		{"-6 -s 65527", right_size_6, NULL},
		{"-s 65508, family not known", right_size, NULL},
		{"slots x targets at the limit", right_slots, NULL},
		{"-c at the limit", right_count, NULL},
		{"rate at the limit", right_rate, NULL},
		{"few requests, however fast", right_waiting, NULL},
		{"--fragment-order alone", wrong_order_alone, "--fragment-size"},
		{"--fragment-size with -M", wrong_cut_mode, "-M"},
		{"--fragment-size with a ping socket", wrong_cut_transport, "--transport ping"},
		{"--fragment-size with a raw socket", right_cut_transport, NULL},
		{"--fragment-size and --fragment-order", right_cut, NULL},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		struct error error = {.text = ""};
		int status;

		prepare(rows[i].set);
		status = configuration_validate(&subject, &error);
		UNIT_SIGNED(rows[i].label, status, rows[i].words == NULL ? 0 : -ERROR_INVALID);
		UNIT_CHECK(rows[i].words == NULL || strstr(error.text, rows[i].words) != NULL,
			   "%s: no %s in: %s", rows[i].label, rows[i].words, error.text);
	}
}

static void test_refusals(void)
{
	static const struct {
		const char *label;
		void (*set)(struct configuration *);
		const char *rules[CONFIGURATION_REFUSALS_MAX];
	} rows[] = {
		{"plain", set_none, {NULL}},
		{"-f", set_flood, {"user.flood"}},
		{"--depth", set_depth, {"user.flood"}},
		{"-f -l 64", set_flood_preload, {"user.flood", "user.preload"}},
		{"-f -i 1ms", set_flood_interval, {"user.min-interval"}},
		{"-l 3", set_preload, {NULL}},
		{"-l 4", set_preload_4, {"user.preload"}},
		{"-i 2ms", set_2_ms, {NULL}},
		{"-i just below 2ms", set_below_2_ms, {"user.min-interval"}},
		{"--rate 501 over ten", set_rate_501, {"user.rate"}},
		{"-m", set_mark, {"user.mark"}},
		{"-b", set_broadcast, {NULL}},
		{"-b -i 10ms", set_broadcast_fast, {"user.broadcast-interval"}},
		{"all at once", set_everything,
		 {"user.min-interval", "user.preload", "user.mark", "user.broadcast-interval"}},
		{"simulated", set_simulated_flood, {NULL}},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		struct refusal refusals[CONFIGURATION_REFUSALS_MAX];
		uint32_t expected = 0;
		uint32_t count;

		prepare(rows[i].set);
		while (rows[i].rules[expected] != NULL)
			expected++;
		count = configuration_refusals(&subject, false, refusals);
		UNIT_UNSIGNED(rows[i].label, count, expected);
		for (uint32_t k = 0; k < count && k < expected; k++) {
			UNIT_TEXT(rows[i].label, refusals[k].rule, rows[i].rules[k]);
			UNIT_CHECK(strstr(refusals[k].text, refusals[k].rule) != NULL,
				   "%s: the rule is not named in: %s", rows[i].label,
				   refusals[k].text);
			UNIT_CHECK(refusals[k].asked[0] != '\0' && refusals[k].limit[0] != '\0',
				   "%s: asked or limit is empty", rows[i].label);
		}
		UNIT_UNSIGNED("root", configuration_refusals(&subject, true, refusals), 0);
	}
}

const struct unit_suite suite_configuration = {
	"configuration",
	(const struct unit_test[]){
		{"defaults", test_defaults},
		{"modes", test_modes},
		{"reply lines", test_reply_lines},
		{"interval from rate", test_interval_from_rate},
		{"validation", test_validation},
		{"refusals", test_refusals},
		{NULL, NULL},
	},
};
