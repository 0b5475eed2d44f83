/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One formula a function. The tests feed them the figures that older tools printed, with the
 * slips of those tools mended.
 */
#include "core/throughput.h"

#define BITS_PER_BYTE 8.0
#define KIB_BYTES 1024.0

static const double second_ns = (double)NANOSECONDS_PER_SECOND;

bool throughput_per_second(uint64_t count, int64_t elapsed_ns, double *per_s)
{
	if (elapsed_ns <= 0)
		return false;
	*per_s = (double)count * second_ns / (double)elapsed_ns;
	return true;
}

bool throughput_ns_each(int64_t elapsed_ns, uint64_t count, double *ns)
{
	if (count == 0 || elapsed_ns < 0)
		return false;
	*ns = (double)elapsed_ns / (double)count;
	return true;
}

bool throughput_duration(uint64_t count, double per_s, double *ns)
{
	if (!(per_s > 0.0))
		return false;
	*ns = (double)count / per_s * second_ns;
	return true;
}

bool throughput_bytes_per_s(uint64_t count, uint64_t bytes_each, int64_t elapsed_ns,
			    double *bytes_per_s)
{
	if (!throughput_per_second(count, elapsed_ns, bytes_per_s))
		return false;
	*bytes_per_s *= (double)bytes_each;
	return true;
}

double throughput_kib_per_s(double bytes_per_s)
{
	return bytes_per_s / KIB_BYTES;
}

bool throughput_link_ns(uint64_t bytes, uint64_t link_bits_per_s, double *ns)
{
	if (link_bits_per_s == 0)
		return false;
	*ns = (double)bytes * BITS_PER_BYTE * second_ns / (double)link_bits_per_s;
	return true;
}

bool throughput_link_share(double bytes_per_s, uint64_t link_bits_per_s, double *share)
{
	if (link_bits_per_s == 0)
		return false;
	*share = bytes_per_s * BITS_PER_BYTE / (double)link_bits_per_s;
	return true;
}

double throughput_in_flight(double per_s, double mean_ns)
{
	return per_s * mean_ns / second_ns;
}

bool throughput_littles_law(uint64_t replies, double mean_ns, double held_ns, int64_t elapsed_ns,
			    double *in_flight)
{
	double per_s;

	if (!throughput_per_second(replies, elapsed_ns, &per_s))
		return false;
	*in_flight = throughput_in_flight(per_s, mean_ns) + held_ns / (double)elapsed_ns;
	return true;
}

bool throughput_cpu_share(int64_t cpu_ns, int64_t wall_ns, double *share)
{
	if (wall_ns <= 0)
		return false;
	*share = (double)cpu_ns / (double)wall_ns;
	return true;
}
