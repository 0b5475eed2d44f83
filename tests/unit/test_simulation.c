/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The settings of the simulated network as text: every key lands in its member, nothing else
 * moves, and what is refused leaves everything as it was.
 */
#include "core/simulation.h"

#include <string.h>

#include "unit/unit.h"

static void test_defaults(void)
{
	struct simulation simulation;

	memset(&simulation, 0xff, sizeof(simulation));
	simulation_defaults(&simulation);
	UNIT_UNSIGNED("seed", simulation.seed, 1);
	UNIT_SIGNED("delay", simulation.delay_ns, 1000000);
	UNIT_SIGNED("send", simulation.send_ns, 1000);
	UNIT_UNSIGNED("mtu", simulation.mtu, 1500);
	UNIT_SIGNED("jitter", simulation.jitter_ns, 0);
	UNIT_SIGNED("service", simulation.service_ns, 0);
	UNIT_SIGNED("queue", simulation.queue_ns, 0);
	UNIT_SIGNED("stall", simulation.stall_ns, 0);
	UNIT_SIGNED("stall-every", simulation.stall_every_ns, 0);
	UNIT_UNSIGNED("drop-every", simulation.drop_every, 0);
	UNIT_NEAR("losses",
		  simulation.loss + simulation.fragment_loss + simulation.reply_fragment_loss +
			  simulation.duplicate + simulation.reorder + simulation.corrupt +
			  simulation.stamp_loss,
		  0, 0);
}

static void test_all_keys(void)
{
	static const char text[] =
		"seed=18446744073709551615,delay=2ms,jitter=30us,service=20us,send=7ns,queue=9us,"
		"loss=0.01,"
		"fragment-loss=5%,reply-fragment-loss=0.25,duplicate=0.5,reorder=1,corrupt=0.125,"
		"drop-every=4,stall-every=100s,stall=1,stamp-loss=0.75,mtu=576";
	struct simulation simulation;
	struct error error;
	size_t keys = 0;

	error_clear(&error);
	simulation_defaults(&simulation);
	UNIT_CHECK(simulation_parse(text, &simulation, &error) == 0, "%s", error.text);
	UNIT_UNSIGNED("seed", simulation.seed, UINT64_MAX);
	UNIT_SIGNED("delay", simulation.delay_ns, 2000000);
	UNIT_SIGNED("jitter", simulation.jitter_ns, 30000);
	UNIT_SIGNED("service", simulation.service_ns, 20000);
	UNIT_SIGNED("send", simulation.send_ns, 7);
	UNIT_SIGNED("queue", simulation.queue_ns, 9000);
	UNIT_NEAR("loss", simulation.loss, 0.01, 0);
	UNIT_NEAR("fragment-loss", simulation.fragment_loss, 0.05, 0);
	UNIT_NEAR("reply-fragment-loss", simulation.reply_fragment_loss, 0.25, 0);
	UNIT_NEAR("duplicate", simulation.duplicate, 0.5, 0);
	UNIT_NEAR("reorder", simulation.reorder, 1, 0);
	UNIT_NEAR("corrupt", simulation.corrupt, 0.125, 0);
	UNIT_UNSIGNED("drop-every", simulation.drop_every, 4);
	UNIT_SIGNED("stall-every", simulation.stall_every_ns, INT64_C(100000000000));
	UNIT_SIGNED("stall", simulation.stall_ns, INT64_C(1000000000));
	UNIT_NEAR("stamp-loss", simulation.stamp_loss, 0.75, 0);
	UNIT_UNSIGNED("mtu", simulation.mtu, 576);
	for (; simulation_keys[keys].name != NULL; keys++)
		UNIT_CHECK(strstr(text, simulation_keys[keys].name) != NULL, "%s is not tried",
			   simulation_keys[keys].name);
	UNIT_UNSIGNED("keys", keys, 17);
}

static void test_others_stay(void)
{
	struct simulation simulation;
	struct error error;

	error_clear(&error);
	simulation_defaults(&simulation);
	UNIT_SIGNED("first", simulation_parse("loss=0.5,delay=5ms", &simulation, &error), 0);
	UNIT_SIGNED("second", simulation_parse("delay=6ms", &simulation, &error), 0);
	UNIT_NEAR("loss stays", simulation.loss, 0.5, 0);
	UNIT_SIGNED("delay changes", simulation.delay_ns, 6000000);
}

static void test_refused(void)
{
	static const struct {
		const char *text;
		const char *says; /* part of the sentence */
	} rows[] = {
		{"", "KEY=VALUE"},
		{",", "KEY=VALUE"},
		{"delay", "KEY=VALUE"},
		{"delay=", "delay"},
		{"=1", "no setting ''"},
		{"delay=1ms,", "KEY=VALUE"},
		{",delay=1ms", "KEY=VALUE"},
		{"delays=1ms", "no setting 'delays'"},
		{"del=1ms", "no setting 'del'"},
		{"Delay=1ms", "no setting 'Delay'"},
		{" delay=1ms", "no setting ' delay'"},
		{"\033[2J=1", "no setting '\\x1b"},
		{"delay=-1", "delay"},
		{"delay=1ms2", "delay"},
		{"delay=3601", "delay"},
		{"delay=1=2", "delay"},
		{"send=0", "send"},
		{"loss=1.1", "loss"},
		{"loss=nan", "loss"},
		{"queue=-1us", "queue"},
		{"stamp-loss=2", "stamp-loss"},
		{"loss=101%", "loss"},
		{"mtu=67", "mtu"},
		{"mtu=65536", "mtu"},
		{"mtu=1e3", "mtu"},
		{"seed=18446744073709551616", "seed"},
		{"drop-every=-1", "drop-every"},
		{"loss=0,loss=0", "loss is given twice"},
		{"stall=1ms", "together"},
		{"stall-every=1ms", "together"},
		{"stall-every=1ms,stall=1ms", "shorter"},
		{"delay=0000000000000000000000000000000000000000000000000000000000",
		 "longer than"},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		struct simulation before, after;
		struct error error;

		memset(&before, 0, sizeof(before));
		memset(&after, 0, sizeof(after));
		simulation_defaults(&before);
		simulation_defaults(&after);
		error_clear(&error);
		UNIT_SIGNED(rows[i].text, simulation_parse(rows[i].text, &after, &error),
			    -ERROR_INVALID);
		UNIT_CHECK(strstr(error.text, rows[i].says) != NULL, "'%s': \"%s\" lacks \"%s\"",
			   rows[i].text, error.text, rows[i].says);
		UNIT_CHECK(after.delay_ns == before.delay_ns && after.loss <= 0 &&
				   after.stall_ns == 0 && after.mtu == 1500 && after.seed == 1,
			   "'%s' changed something", rows[i].text);
	}
}

const struct unit_suite suite_simulation = {
	"simulation",
	(const struct unit_test[]){
		{"defaults", test_defaults},
		{"every key", test_all_keys},
		{"keys that are not named stay", test_others_stay},
		{"what is refused changes nothing", test_refused},
		{NULL, NULL},
	},
};
