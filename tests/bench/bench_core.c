/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the pure operations of the hot path cost, in nanoseconds each: the least of several
 * rounds, since everything that disturbs a round only adds to it. Printed for people; a machine
 * that is busy with other work prints larger numbers, so nothing here passes or fails.
 *
 * Usage: bench_core
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "core/checksum.h"
#include "core/depth.h"
#include "core/histogram.h"
#include "core/pacer.h"
#include "core/payload.h"

#define ROUNDS 15
#define INPUTS 4096u /* a power of two */
#define LARGEST 65507u

static struct histogram histogram;
static struct depth depth;
static struct pacer pacer;
static struct payload_plan plan;
static int64_t durations[INPUTS];
static uint8_t packet[LARGEST];
static volatile uint64_t sink; /* keeps results from being left out */

static int64_t now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * NANOSECONDS_PER_SECOND + now.tv_nsec;
}

static void run_histogram(uint64_t times)
{
	for (uint64_t i = 0; i < times; i++)
		histogram_record(&histogram, durations[i % INPUTS]);
	sink = histogram.samples;
}

static void run_depth(uint64_t times)
{
	depth_start(&depth, 0);
	for (uint64_t i = 0; i < times; i++)
		sink = depth_change(&depth, i % 2 == 0 ? 1 : -1, (int64_t)i * 7);
}

/* Asks and reports as sent, with the time one interval on: one request each. */
static void run_pacer(uint64_t times)
{
	struct pacer_decision decision;

	for (uint64_t i = 0; i < times; i++) {
		int64_t now = pacer.last_send_ns + pacer.settings.interval_ns;

		pacer_next(&pacer, now, 0, &decision);
		pacer_sent(&pacer, now, decision.count);
	}
	sink = pacer.attempts;
}

static void run_checksum(uint64_t times)
{
	for (uint64_t i = 0; i < times; i++)
		sink = checksum_sum(packet, plan.bytes);
}

static void run_payload_write(uint64_t times)
{
	for (uint64_t i = 1; i <= times; i++)
		sink = payload_write(&plan, i, packet);
}

static void run_payload_check(uint64_t times)
{
	struct payload_finding finding;

	(void)payload_write(&plan, 77, packet);
	for (uint64_t i = 0; i < times; i++) {
		payload_check(&plan, packet, plan.bytes, plan.bytes, 0, times, &finding);
		sink = finding.verdict;
	}
}

static void measure(const char *name, uint64_t times, void (*run)(uint64_t times))
{
	int64_t best = INT64_MAX;

	for (int round = 0; round < ROUNDS; round++) {
		int64_t start = now_ns(), took;

		run(times);
		took = now_ns() - start;
		best = took < best ? took : best;
	}
	printf("%-28s %10.2f ns\n", name, (double)best / (double)times);
}

static void measure_pacer(const char *name, const struct pacer_row *row)
{
	struct pacer_settings settings = {.slots = 1, .interval_ns = 1000, .preload = 1};
	struct error error;

	if (pacer_init(&pacer, row, &settings, &error) < 0)
		printf("%-28s %s\n", name, error.text);
	else
		measure(name, 1000000, run_pacer);
}

static void measure_payload(uint32_t bytes)
{
	uint64_t times = 200000000 / (bytes + 200) / ROUNDS + 1;
	char name[64];

	memset(&plan, 0, sizeof(plan));
	plan.bytes = bytes;
	plan.pattern = PAYLOAD_DISTINCT;
	memset(plan.key, 0x5a, sizeof(plan.key));
	payload_plan_init(&plan);
	(void)snprintf(name, sizeof(name), "checksum_sum %" PRIu32, bytes);
	measure(name, times, run_checksum);
	(void)snprintf(name, sizeof(name), "payload_write %" PRIu32, bytes);
	measure(name, times, run_payload_write);
	(void)snprintf(name, sizeof(name), "payload_check %" PRIu32, bytes);
	measure(name, times, run_payload_check);
}

int main(void)
{
	static const uint32_t sizes[] = {56, 1472, 2048, LARGEST};
	struct random_state random;

	random_seed(&random, 1);
	for (size_t i = 0; i < INPUTS; i++)
		durations[i] = 5000 + (int64_t)random_below(&random, 20000);
	histogram_init(&histogram);
	measure("histogram_record", 1000000, run_histogram);
	measure("depth_change", 1000000, run_depth);
	measure_pacer("pacer_next+sent flood", &pacer_flood);
	measure_pacer("pacer_next+sent interval", &pacer_interval);
	measure_pacer("pacer_next+sent depth", &pacer_depth);
	for (size_t i = 0; i < ARRAY_LENGTH(sizes); i++)
		measure_payload(sizes[i]);
	return 0;
}
