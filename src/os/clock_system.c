/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows that are the kernel's own clocks, and the simulated one. CLOCK_MONOTONIC_RAW is the
 * counter behind CLOCK_MONOTONIC without the rate corrections of a time service;
 * CLOCK_MONOTONIC_COARSE is the time of the last tick, which makes any machine one of 1992.
 */
#include "os/clock.h"
#include "os/system_clock.h"

/* How far a time service may slew a clock (kernel/time/timekeeping.c: 500 ppm). */
#define SLEW_MAX 5e-4
/* What a crystal is off by, at most, as they are sold. */
#define CRYSTAL_ERROR 5e-5

static int64_t monotonic_now(void *context)
{
	(void)context;
	return system_clock_ns(CLOCK_MONOTONIC);
}

static int64_t raw_now(void *context)
{
	(void)context;
	return system_clock_ns(CLOCK_MONOTONIC_RAW);
}

static int64_t coarse_now(void *context)
{
	(void)context;
	return system_clock_ns(CLOCK_MONOTONIC_COARSE);
}

static int64_t simulated_now(void *context)
{
	return *(const int64_t *)context;
}

const struct clock_row clock_monotonic = {
	.name = "monotonic",
	.summary = "CLOCK_MONOTONIC: never steps, its rate follows the time service",
	.rate_error = SLEW_MAX,
	.now = monotonic_now,
};

const struct clock_row clock_raw = {
	.name = "raw",
	.summary = "CLOCK_MONOTONIC_RAW: the bare counter, nobody corrects its rate",
	.rate_error = CRYSTAL_ERROR,
	.now = raw_now,
};

const struct clock_row clock_coarse = {
	.name = "coarse",
	.summary = "CLOCK_MONOTONIC_COARSE: the last tick, to see what a coarse clock does",
	.rate_error = SLEW_MAX,
	.now = coarse_now,
};

const struct clock_row clock_simulated = {
	.name = "sim",
	.summary = "the virtual time of the simulated transport",
	.is_simulated = true,
	.now = simulated_now,
};
