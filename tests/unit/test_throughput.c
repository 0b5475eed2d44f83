/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The formulas at their edges: what has no time, no count or no link has no figure. What the
 * figures must be is in test_history.c.
 */
#include "unit/unit.h"

#include <math.h>

#include "core/ethernet.h"
#include "core/throughput.h"

static void test_unknown(void)
{
	double out = -7.0;

	UNIT_CHECK(!throughput_per_second(5, 0, &out) && !throughput_per_second(5, -1, &out),
		   "rate");
	UNIT_CHECK(!throughput_bytes_per_s(5, 5, 0, &out), "bytes");
	UNIT_CHECK(!throughput_ns_each(5, 0, &out) && !throughput_ns_each(-5, 1, &out), "each");
	UNIT_CHECK(!throughput_duration(5, 0.0, &out) && !throughput_duration(5, -1.0, &out) &&
			   !throughput_duration(5, (double)NAN, &out),
		   "duration");
	UNIT_CHECK(!throughput_link_ns(5, 0, &out) && !throughput_link_share(5.0, 0, &out), "link");
	UNIT_CHECK(!throughput_littles_law(5, 5.0, 5.0, 0, &out), "Little's law");
	UNIT_CHECK(!throughput_cpu_share(5, 0, &out) && !throughput_cpu_share(5, -1, &out), "CPU");
	UNIT_NEAR("untouched", out, -7.0, 0.0);
}

static void test_zero(void)
{
	double out = -7.0;

	UNIT_CHECK(throughput_per_second(0, 1, &out), "no rate");
	UNIT_NEAR("nothing in a while", out, 0.0, 0.0);
	UNIT_CHECK(throughput_bytes_per_s(100, 0, 1, &out), "no rate");
	UNIT_NEAR("empty packets", out, 0.0, 0.0);
	UNIT_CHECK(throughput_ns_each(0, 3, &out), "no time");
	UNIT_NEAR("three at once", out, 0.0, 0.0);
}

static void test_large(void)
{
	double out = -7.0;

	UNIT_CHECK(throughput_per_second((UINT64_C(1) << 32) + 5, NANOSECONDS_PER_SECOND, &out),
		   "none");
	UNIT_NEAR("B45: beyond 32 bits", out, 4294967301.0, 0.0);
	UNIT_CHECK(throughput_bytes_per_s(UINT64_MAX, 65507, 1, &out) && !isinf(out), "none");
	UNIT_CHECK(throughput_per_second(1, INT64_MAX, &out) && out > 0.0, "292 years");
}

static void test_link(void)
{
	double out = -7.0;

	UNIT_CHECK(throughput_link_ns(ethernet_wire_bytes(1500), UINT64_C(1000000000), &out),
		   "none");
	UNIT_NEAR("1,472 bytes at 1 Gbit/s", out, 12304.0, 0.0);
	UNIT_CHECK(throughput_link_ns(ethernet_wire_bytes(1500), UINT64_C(10000000000), &out),
		   "none");
	UNIT_NEAR("1,472 bytes at 10 Gbit/s", out, 1230.4, 1e-9);
	UNIT_CHECK(throughput_link_ns(68125, UINT64_C(1000000000), &out), "none");
	UNIT_NEAR("65,507 bytes at 1 Gbit/s", out, 545000.0, 0.0);
	UNIT_CHECK(throughput_link_share(76710.0 * 2172.0, UINT64_C(10000000000), &out), "none");
	UNIT_NEAR("13.3 % of 10 Gbit/s", out, 0.1333, 5e-5);
}

/* Slots that given-up requests held count as well: without them the law stays open. */
static void test_littles_law(void)
{
	double out = -7.0;

	UNIT_CHECK(throughput_littles_law(1000, 20e6, 0.0, 10 * NANOSECONDS_PER_SECOND, &out),
		   "none");
	UNIT_NEAR("100/s of 20 ms", out, 2.0, 1e-12);
	UNIT_CHECK(throughput_littles_law(1000, 20e6, 5e9, 10 * NANOSECONDS_PER_SECOND, &out),
		   "none");
	UNIT_NEAR("and 5 s of given-up ones", out, 2.5, 1e-12);
}

const struct unit_suite suite_throughput = {
	"throughput",
	(const struct unit_test[]){
		{"unknown", test_unknown},
		{"zero", test_zero},
		{"large", test_large},
		{"link", test_link},
		{"Little's law", test_littles_law},
		{NULL, NULL},
	},
};
