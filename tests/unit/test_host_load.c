/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What lies between two looks at this host: differences, and what cannot be one is unknown.
 */
#include "os/host_load.h"

#include "unit/unit.h"

static struct result_processor processor;
static struct result_disturbance disturbance;

static void difference(const struct host_load *before, const struct host_load *after)
{
	processor = (struct result_processor){0};
	disturbance = (struct result_disturbance){0};
	host_load_difference(before, after, &processor, &disturbance);
}

static void test_difference(void)
{
	struct host_load before = {.asleep_ns = 5000,
				   .has_steal = true,
				   .steal_ns = 10000000,
				   .has_softnet_drops = true,
				   .softnet_drops = 7,
				   .has_run_delay = true,
				   .run_delay_ns = 1000};
	struct host_load after = before;

	after.steal_ns += 30000000;
	after.softnet_drops += 2;
	after.run_delay_ns += 500000;
	after.asleep_ns += 2000000000;
	difference(&before, &after);
	UNIT_CHECK(processor.steal_s.known && processor.softnet_drops.known &&
			   disturbance.run_delay_s.known && disturbance.suspended_ns.known,
		   "all known");
	UNIT_NEAR("steal", processor.steal_s.value, 0.03, 1e-9);
	UNIT_NEAR("drops", processor.softnet_drops.value, 2, 0);
	UNIT_NEAR("delay", disturbance.run_delay_s.value, 0.0005, 1e-12);
	UNIT_NEAR("asleep", disturbance.suspended_ns.value, 2e9, 0);

	/* Two clocks that are not read at once differ by a little, in either direction. */
	after.asleep_ns = before.asleep_ns + 90000;
	difference(&before, &after);
	UNIT_NEAR("awake", disturbance.suspended_ns.value, 0, 0);
	after.asleep_ns = before.asleep_ns - 90000;
	difference(&before, &after);
	UNIT_NEAR("awake", disturbance.suspended_ns.value, 0, 0);
}

static void test_unknown(void)
{
	struct host_load before = {
		.has_steal = true, .steal_ns = 50, .has_softnet_drops = true, .softnet_drops = 9};
	struct host_load after = {.has_steal = true,
				  .steal_ns = 40,
				  .has_softnet_drops = true,
				  .softnet_drops = 8,
				  .has_run_delay = true};

	difference(&before, &after);
	UNIT_CHECK(!processor.steal_s.known, "steal that went back");
	UNIT_CHECK(!processor.softnet_drops.known, "a count that went back");
	UNIT_CHECK(!disturbance.run_delay_s.known, "one look without it");
}

static void test_here(void)
{
	struct host_load_files files;
	struct host_load load;

	host_load_open(&files);
	host_load_read(&files, &load);
	host_load_close(&files);
	UNIT_CHECK(load.has_steal, "every Linux has /proc/stat");
	UNIT_SIGNED("closed", files.stat, -1);
	host_load_read(&files, &load);
	UNIT_CHECK(!load.has_steal && !load.has_softnet_drops && !load.has_run_delay,
		   "without files nothing is known");
}

const struct unit_suite suite_host_load = {
	"host-load",
	(const struct unit_test[]){
		{"difference", test_difference},
		{"unknown", test_unknown},
		{"this host", test_here},
		{NULL, NULL},
	},
};
