/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Figures that were printed between 1992 and 2002 by the tools whose work this program does,
 * derived again with the functions that our report uses. Where a tool printed a slip, the right
 * figure stands here and the slip is named.
 */
#include "unit/unit.h"

#include <math.h>

#include "core/ethernet.h"
#include "core/fragments.h"
#include "core/throughput.h"

#define SECONDS(s) ((int64_t)((s)*1e9 + 0.5))
#define TEN_MEGABIT UINT64_C(10000000)

/* Half of the last digit that the figure is quoted with, and a hair for its rounding. */
#define QUOTED(label, actual, figure, last_digit)                                                  \
	UNIT_NEAR(label, actual, figure, (last_digit)*0.5 + 1e-9)

static double per_second(uint64_t count, int64_t elapsed_ns)
{
	double out = (double)NAN;

	(void)!throughput_per_second(count, elapsed_ns, &out);
	return out;
}

static double ms_each(int64_t elapsed_ns, uint64_t count)
{
	double out = (double)NAN;

	(void)!throughput_ns_each(elapsed_ns, count, &out);
	return out / 1e6;
}

static double bytes_per_second(uint64_t count, uint64_t bytes, int64_t elapsed_ns)
{
	double out = (double)NAN;

	(void)!throughput_bytes_per_s(count, bytes, elapsed_ns, &out);
	return out;
}

static double link_ms(uint64_t bytes)
{
	double out = (double)NAN;

	(void)!throughput_link_ns(bytes, TEN_MEGABIT, &out);
	return out / 1e6;
}

static double cpu_share(double cpu_s, double wall_s)
{
	double out = (double)NAN;

	(void)!throughput_cpu_share(SECONDS(cpu_s), SECONDS(wall_s), &out);
	return out;
}

/* ping -f of 1992: 10,012 sent, 10,000 received, 37.90 s; rtt min/avg/max 0/35/60 ms. */
static void test_flood_ping(void)
{
	double rate = per_second(10012, SECONDS(37.90));
	double both_ways;

	QUOTED("sent per second", rate, 264.2, 0.1);
	QUOTED("ms per packet sent", ms_each(SECONDS(37.90), 10012), 3.785, 0.001);
	QUOTED("rate x mean rtt: the clock was too coarse", throughput_in_flight(rate, 35e6), 9.2,
	       0.1);
	QUOTED("CPU share, %", cpu_share(0.8 + 36.8, 37.90) * 100.0, 99.2, 0.1);
	QUOTED("ms CPU per packet", ms_each(SECONDS(0.8 + 36.8), 10012), 3.76, 0.01);
	QUOTED("ms CPU per packet received", ms_each(SECONDS(0.8 + 36.8), 10000), 3.76, 0.01);

	/* 56 bytes of data: 84 of IP, 98 as captured, 122 on the wire */
	UNIT_UNSIGNED("frame", ethernet_frame_bytes(84) - ETHERNET_CHECK_BYTES, 98);
	UNIT_UNSIGNED("wire", ethernet_wire_bytes(84), 122);
	both_ways = 2.0 * link_ms(ethernet_frame_bytes(84) - ETHERNET_CHECK_BYTES);
	QUOTED("ms on the wire, without FCS", both_ways, 0.157, 0.001);
	QUOTED("ms on the wire, all", 2.0 * link_ms(ethernet_wire_bytes(84)), 0.195, 0.001);
	QUOTED("the wire's part, %", both_ways / ms_each(SECONDS(37.90), 10012) * 100.0, 4.0, 1.0);
}

/* 10,000 packets at 548.97 packets/s, rtt 1/1/28 ms: a clock of 1 ms. */
static void test_flood_ping_rate(void)
{
	double ns = (double)NAN;

	UNIT_CHECK(throughput_duration(10000, 548.97, &ns), "no duration");
	QUOTED("seconds", ns / 1e9, 18.22, 0.01);
	QUOTED("ms per packet", ms_each((int64_t)ns, 10000), 1.82, 0.01);
}

/* 1,001 sent, 1,000 received, 2,048 bytes, 17.96 s, rtt 20/35/50 ms. */
static void test_flood_ping_large(void)
{
	double rate = per_second(1000, SECONDS(17.96));
	double bytes = bytes_per_second(1000, 2048, SECONDS(17.96));
	struct fragment_plan plan;
	struct fragment first, second;

	QUOTED("datagrams per second", rate, 55.7, 0.1);
	QUOTED("kB/s each way: 114.0, the text's 144 is a slip", bytes / 1e3, 114.0, 0.1);
	QUOTED("KiB/s each way", throughput_kib_per_s(bytes), 111.4, 0.1);
	QUOTED("in flight", throughput_in_flight(rate, 35e6), 1.95, 0.01);
	QUOTED("ms per datagram received", ms_each(SECONDS(17.96), 1000), 17.96, 0.01);
	UNIT_CHECK(fragment_plan_make(&plan, 4, 1500, 2048 + FRAGMENT_ECHO_HEADER_BYTES) &&
			   fragment_at(&plan, 0, &first) && fragment_at(&plan, 1, &second),
		   "no plan");
	UNIT_UNSIGNED("fragments", plan.count, 2);
	UNIT_UNSIGNED("first", first.packet_bytes, 1500);
	UNIT_UNSIGNED("second", second.packet_bytes, 596);
}

/* ttcp of 1992: 16,777,216 bytes. */
static void test_ttcp(void)
{
	double received = bytes_per_second(1, 16777216, SECONDS(38.38));
	double sent = bytes_per_second(1, 16777216, SECONDS(38.22));

	QUOTED("receiver, bytes/s", received, 437134.0, 1.0);
	QUOTED("receiver, KiB/s", throughput_kib_per_s(received), 426.89, 0.01);
	QUOTED("sender, KiB/s", throughput_kib_per_s(sent), 428.68, 0.01);
	QUOTED("receiver, calls/s", per_second(4100, SECONDS(38.38)), 106.83, 0.01);
	QUOTED("receiver, ms per call: ttcp printed 9.59, 1.024 times too much",
	       ms_each(SECONDS(38.38), 4100), 9.361, 0.001);
	QUOTED("sender, calls/s", per_second(2048, SECONDS(38.22)), 53.58, 0.01);
	QUOTED("sender, ms per call: ttcp printed 19.11", ms_each(SECONDS(38.22), 2048), 18.66,
	       0.01);
	QUOTED("other direction, KiB/s",
	       throughput_kib_per_s(bytes_per_second(1, 16777216, SECONDS(45.60))), 359.30, 0.01);
}

/* tcpspray of 1996: 5,000 frames of 1,514 bytes at 10 Mbit/s. */
static void test_tcpspray(void)
{
	double rate = bytes_per_second(5000, 1514, SECONDS(6.321147));
	uint64_t wire = ethernet_wire_bytes(1500);
	double frames_per_s = per_second(1, SECONDS(link_ms(wire) / 1e3));
	double limit = frames_per_s * 1514.0;
	double share = (double)NAN;

	UNIT_UNSIGNED("bytes", 5000 * (ethernet_frame_bytes(1500) - ETHERNET_CHECK_BYTES), 7570000);
	QUOTED("kB/s", rate / 1e3, 1197.6, 0.1);
	UNIT_UNSIGNED("bytes on the wire", wire, 1538);
	QUOTED("the wire's limit, kB/s", limit / 1e3, 1230.5, 0.1);
	QUOTED("of the limit, %", rate / limit * 100.0, 97.3, 0.1);
	UNIT_CHECK(throughput_link_share(per_second(5000, SECONDS(6.321147)) * (double)wire,
					 TEN_MEGABIT, &share),
		   "no share");
	QUOTED("of the link, %", share * 100.0, 97.3, 0.1);
	QUOTED("newer kernel, kB/s", bytes_per_second(5000, 1514, SECONDS(10.091485)) / 1e3, 750.1,
	       0.1);
	QUOTED("median, kB/s", bytes_per_second(5000, 1514, SECONDS(6.320811)) / 1e3, 1197.6, 0.1);
	QUOTED("newer kernel's median, kB/s",
	       bytes_per_second(5000, 1514, SECONDS(10.226442)) / 1e3, 740.2, 0.1);
}

/* lmbench of 2002: 10,485,760 bytes in 117,291 us. */
static void test_lmbench(void)
{
	QUOTED("MB/s", bytes_per_second(1, 10485760, 117291 * NANOSECONDS_PER_MICROSECOND) / 1e6,
	       89.40, 0.01);
}

const struct unit_suite suite_history = {
	"history",
	(const struct unit_test[]){
		{"flood ping", test_flood_ping},
		{"flood ping with a rate", test_flood_ping_rate},
		{"flood ping with 2,048 bytes", test_flood_ping_large},
		{"ttcp", test_ttcp},
		{"tcpspray", test_tcpspray},
		{"lmbench", test_lmbench},
		{NULL, NULL},
	},
};
