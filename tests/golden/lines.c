/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines that are printed one at a time while a run goes on.
 */
#include "golden/golden.h"

#include <string.h>

#include "report/report.h"

/* ---- banners ---- */

static void print_banner(FILE *stream, const char *name, uint8_t family, const char *address,
			 int binding)
{
	static struct result_target target;

	memset(&target, 0, sizeof(target));
	target.name = name;
	target.family = family;
	(void)snprintf(target.address, sizeof(target.address), "%s", address);
	target.payload_bytes = 56;
	target.ip_overhead_bytes = family == 6 ? 48 : 28;
	(void)snprintf(target.interface, sizeof(target.interface), "eth0");
	(void)snprintf(target.source, sizeof(target.source), family == 6 ? "fd09::1" : "10.9.0.1");
	target.is_bound_to_interface = binding == 1;
	target.is_bound_to_source = binding == 2;
	if (report_banner(stream, &target) != 0)
		(void)fprintf(stream, "failed\n");
}

void golden_print_banners(FILE *stream)
{
	print_banner(stream, "10.9.0.2", 4, "10.9.0.2", 0);
	print_banner(stream, "host.example", 4, "10.9.0.2", 1);
	print_banner(stream, "host.example", 4, "10.9.0.2", 2);
	print_banner(stream, "::1", 6, "::1", 0);
	print_banner(stream, "host.example", 6, "fe80::2%eth0", 1);
	print_banner(stream, "bell\a", 4, "10.9.0.2", 0);
}

/* ---- observations ---- */

static const uint8_t ip4[4] = {10, 9, 0, 2};
static const uint8_t ip6[16] = {0xfd, 0x09, [15] = 2};

static void print_observation(FILE *stream, const struct observation *observation, double wall_s)
{
	char text[256];
	size_t length = report_observation(observation, wall_s, text, sizeof(text));

	(void)fwrite(text, 1, length, stream);
	if (length != strlen(text))
		(void)fprintf(stream, "length %zu is wrong\n", length);
}

static void print_times(FILE *stream, struct observation observation)
{
	static const int64_t times_ns[] = {
		0,	 999,	   45678,    999999,   1000000,	  1234567,    9994000,
		9995000, 12345678, 99949000, 99950000, 123456789, 4000000000, INT64_C(90000000000)};

	for (size_t i = 0; i < ARRAY_LENGTH(times_ns); i++) {
		observation.rtt_ns = times_ns[i];
		observation.sequence = i + 1;
		print_observation(stream, &observation, -1.0);
	}
}

void golden_print_observations(FILE *stream)
{
	struct address from4 = address_from_ip4(ip4), from6 = address_from_ip6(ip6, 0);
	struct observation reply = {.kind = OBSERVED_REPLY,
				    .name = "host",
				    .source = &from4,
				    .sequence = 1,
				    .bytes = 64,
				    .sent_bytes = 64,
				    .ttl = 64,
				    .rtt_ns = 45678};
	struct observation other;
	char small[24];

	print_times(stream, reply);
	print_observation(stream, &reply, 1750000000.25);
	other = reply;
	other.source = &from6;
	other.ttl = -1;
	other.sequence = UINT64_C(5000000000);
	print_observation(stream, &other, -1.0);
	other = reply;
	other.kind = OBSERVED_DUPLICATE;
	print_observation(stream, &other, -1.0);
	other.is_multicast = true;
	print_observation(stream, &other, -1.0);
	other = reply;
	other.kind = OBSERVED_LATE;
	other.rtt_ns = 1200 * MS;
	other.text = "late: after the timeout";
	print_observation(stream, &other, -1.0);
	other = reply;
	other.kind = OBSERVED_DAMAGED;
	other.bytes = 28;
	other.rtt_ns = -1;
	other.text = "truncated";
	print_observation(stream, &other, -1.0);
	other.bytes = 64;
	other.text = "mixed: parts of two requests";
	print_observation(stream, &other, -1.0);
	other = reply;
	other.kind = OBSERVED_STRANGE;
	other.rtt_ns = -1;
	other.sequence = 0;
	other.text = "forged: right identifier and sequence, wrong tag";
	print_observation(stream, &other, -1.0);
	other = reply;
	other.kind = OBSERVED_ERROR;
	other.text = "Destination Host Unreachable";
	print_observation(stream, &other, -1.0);
	other.text = "Frag needed and DF set";
	other.mtu = 1400;
	print_observation(stream, &other, -1.0);
	other.source = &from6;
	other.text = "Packet too big";
	print_observation(stream, &other, -1.0);
	other.kind = OBSERVED_SEND_ERROR;
	other.source = NULL;
	other.text = "Message too long";
	other.mtu = 1500;
	print_observation(stream, &other, -1.0);
	other = reply;
	other.kind = OBSERVED_OUTSTANDING;
	other.sequence = 3;
	print_observation(stream, &other, -1.0);
	/* A clock that steps by 4 ms: 3.999994 ms is one step, 11.2 us is none. */
	other = reply;
	other.step_ns = 3999994;
	print_times(stream, other);
	/* A buffer that is too small cuts the line, and the newline stays. */
	(void)report_observation(&reply, -1.0, small, sizeof(small));
	(void)fprintf(stream, "%s", small);
}

/* ---- live and status lines ---- */

static unsigned columns_of(const char *text)
{
	unsigned columns = 0;

	for (; *text != '\0'; text++)
		columns += ((unsigned char)*text & 0xc0) != 0x80;
	return columns;
}

static void print_live(FILE *stream, const struct progress *progress, unsigned columns, bool utf8)
{
	char text[1024];
	size_t length = report_live_line(progress, columns, utf8, text, sizeof(text));

	(void)fprintf(stream, "%3u %s|%s\n", columns, text,
		      length != strlen(text)	   ? " length is wrong"
		      : columns_of(text) > columns ? " too wide"
						   : "");
}

static const struct progress flowing = {
	.elapsed_ns = 3 * S,
	.sent = 23456,
	.received = 23455,
	.lost = 0,
	.in_flight = 1,
	.wanted = 100000,
	.received_per_s = 76710.3,
	.p50_ns = 12600,
	.p99_ns = 18000,
	.mean_ns = 12800,
	.min_ns = 7100,
	.max_ns = 253000,
	.ewma_ns = 12500,
	.targets = 1,
};

void golden_print_live(FILE *stream)
{
	static const unsigned widths[] = {200, 132, 100, 80, 60, 40, 20, 10, 1, 0};
	struct progress progress = flowing;

	for (size_t i = 0; i < ARRAY_LENGTH(widths); i++) {
		print_live(stream, &progress, widths[i], false);
		print_live(stream, &progress, widths[i], true);
	}
	progress.wanted = 0;
	print_live(stream, &progress, 79, false);
	progress.p99_ns = 6860 * US;
	print_live(stream, &progress, 79, false);
	print_live(stream, &progress, 132, false);
	progress.deadline_ns = 7200 * S;
	progress.lost = 17;
	print_live(stream, &progress, 79, false);
	progress.deadline_ns = 10 * S;
	progress.wanted = 25000;
	progress.p99_ns = -1;
	print_live(stream, &progress, 79, false);
	progress = (struct progress){.p50_ns = -1, .p99_ns = -1, .wanted = 5, .targets = 1};
	print_live(stream, &progress, 79, false);
	progress.sent = 9;
	print_live(stream, &progress, 79, true);
	progress = flowing;
	progress.sent = progress.received = UINT64_C(18446744073709551615);
	progress.elapsed_ns = 4000 * S;
	progress.wanted = 0;
	print_live(stream, &progress, 79, false);
	progress = flowing;
	progress.step_ns = 3999994;
	progress.p99_ns = 4005888;
	print_live(stream, &progress, 132, false);
}

void golden_print_status(FILE *stream)
{
	struct progress progress = flowing;
	char text[256], small[16];

	(void)report_status_line(&progress, text, sizeof(text));
	(void)fprintf(stream, "%s", text);
	progress.received = 20000;
	progress.lost = 3455;
	(void)report_status_line(&progress, text, sizeof(text));
	(void)fprintf(stream, "%s", text);
	progress.step_ns = 3999994;
	progress.max_ns = 3999994;
	(void)report_status_line(&progress, text, sizeof(text));
	(void)fprintf(stream, "%s", text);
	progress = (struct progress){
		.sent = 4, .in_flight = 4, .p50_ns = -1, .mean_ns = -1, .ewma_ns = -1};
	(void)report_status_line(&progress, text, sizeof(text));
	(void)fprintf(stream, "%s", text);
	(void)fprintf(stream, "%zu %s\n", report_status_line(&flowing, small, sizeof(small)),
		      small);
}
