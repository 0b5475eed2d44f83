/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ping's own lines, letter by letter as iputils 20221126 prints them, because scripts have
 * parsed them for decades: the banner, the reply lines, the closing statistics. What ping has
 * no words for (a late reply, a forged one) gets ours, in the form of its reply lines.
 *
 * Two of ping's figures are kept honest: a request that is still waited for when the run is
 * interrupted is not counted as lost, and one that could not be sent is not counted as sent.
 */
#include "report/ping_lines.h"
#include "report/report.h"

#include <stdarg.h>
#include <string.h>

#include "base/format.h"

#define NAME_LENGTH 256

/* A name that came from the command line, harmless for a terminal. */
static const char *safe(const char *name, char text[static NAME_LENGTH])
{
	(void)format_escape(name, strlen(name), text, NAME_LENGTH);
	return text;
}

/* ---- the banner ---- */

static void print_binding(FILE *stream, const struct result_target *target)
{
	char interface[NAME_LENGTH];

	if (target->is_bound_to_interface || target->is_bound_to_source)
		(void)fprintf(stream, "from %s %s: ", target->source,
			      target->is_bound_to_interface ? safe(target->interface, interface)
							    : "");
}

int report_banner(FILE *stream, const struct result_target *target)
{
	char name[NAME_LENGTH];

	(void)fprintf(stream, target->family == 6 ? "PING %s(%s) " : "PING %s (%s) ",
		      safe(target->name, name), target->address);
	print_binding(stream, target);
	if (target->mtu_search != NULL)
		(void)fprintf(stream, "packets of up to %u bytes, to find the path MTU.\n",
			      target->mtu < 65535 ? target->mtu : 65535);
	else if (target->diagnosis != NULL)
		(void)fprintf(stream, "several kinds of requests, to diagnose fragments.\n");
	else if (target->point_count > 0)
		(void)fprintf(stream, "%u kinds of requests, %u to %u bytes of data.\n",
			      target->point_count, target->points[0].payload_bytes,
			      target->points[target->point_count - 1].payload_bytes);
	else if (target->family == 6)
		(void)fprintf(stream, "%u data bytes\n", target->payload_bytes);
	else
		(void)fprintf(stream, "%u(%u) bytes of data.\n", target->payload_bytes,
			      target->payload_bytes + target->ip_overhead_bytes);
	return ferror(stream) ? -ERROR_SYSTEM : 0;
}

/* ---- one observation ---- */

/* Text that grows in a buffer of the caller and stays ended by a NUL. */
struct growing {
	char *text;
	size_t size;
	size_t length;
};

static void grow(struct growing *line, const char *format, ...) PRINTF_LIKE(2, 3);

static void grow(struct growing *line, const char *format, ...)
{
	va_list arguments;
	int wanted;

	va_start(arguments, format);
	wanted = vsnprintf(line->text + line->length, line->size - line->length, format, arguments);
	va_end(arguments);
	if (wanted > 0)
		line->length = min_u64(line->length + (size_t)wanted, line->size - 1);
}

/* " icmp_seq=3", or nothing where the request is not known. */
static void grow_sequence(struct growing *line, uint64_t sequence, const char *before,
			  const char *after)
{
	if (sequence > 0)
		grow(line, "%sicmp_seq=%llu%s", before, (unsigned long long)sequence, after);
}

/* What came from a host: a reply in whatever state. */
static void grow_reply(struct growing *line, const struct observation *observation)
{
	bool is_damaged = observation->kind == OBSERVED_DAMAGED;
	bool is_truncated = is_damaged && observation->bytes < observation->sent_bytes;
	char address[ADDRESS_TEXT_LENGTH], time[FORMAT_LENGTH];

	grow(line, "%u bytes from %s:", observation->bytes,
	     observation->source == NULL ? "unknown" : address_text(observation->source, address));
	grow_sequence(line, observation->sequence, " ", "");
	if (observation->ttl >= 0)
		grow(line, " ttl=%d", observation->ttl);
	if (is_truncated) {
		grow(line, " (truncated)");
		return;
	}
	if (observation->rtt_ns >= 0)
		grow(line, " time=%s ms",
		     format_reply_time(
			     result_whole_steps_ns(observation->step_ns, observation->rtt_ns),
			     time));
	if (observation->kind == OBSERVED_DUPLICATE && !observation->is_multicast)
		grow(line, " (DUP!)");
	else if (observation->kind != OBSERVED_DUPLICATE && observation->text != NULL)
		grow(line, " (%s)", observation->text);
}

/* An error that quotes a request; the MTU in it stands where ping puts it. */
static void grow_error(struct growing *line, const struct observation *observation)
{
	bool is_ip6 = observation->source != NULL && observation->source->family == 6;
	const char *text = observation->text == NULL ? "error" : observation->text;
	char address[ADDRESS_TEXT_LENGTH];

	grow(line, "From %s ",
	     observation->source == NULL ? "unknown" : address_text(observation->source, address));
	grow_sequence(line, observation->sequence, "", " ");
	grow(line, "%s", text);
	if (observation->mtu > 0)
		grow(line, is_ip6 ? ": mtu=%u" : " (mtu = %u)", observation->mtu);
}

static void grow_send_error(struct growing *line, const struct observation *observation)
{
	char name[NAME_LENGTH];

	grow(line, "%s: ", safe(observation->name == NULL ? "?" : observation->name, name));
	grow_sequence(line, observation->sequence, "", " ");
	grow(line, "not sent: %s", observation->text == NULL ? "error" : observation->text);
	if (observation->mtu > 0)
		grow(line, ", mtu=%u", observation->mtu);
}

size_t report_observation(const struct observation *observation, double wall_s, char *text,
			  size_t size)
{
	struct growing line = {text, size, 0};

	if (size < 2)
		return 0;
	text[0] = '\0';
	if (wall_s >= 0.0)
		grow(&line, "[%.6f] ", wall_s);
	switch (observation->kind) {
	case OBSERVED_OUTSTANDING:
		grow(&line, "no answer yet for icmp_seq=%llu",
		     (unsigned long long)observation->sequence);
		break;
	case OBSERVED_ERROR:
		grow_error(&line, observation);
		break;
	case OBSERVED_SEND_ERROR:
		grow_send_error(&line, observation);
		break;
	default:
		grow_reply(&line, observation);
		break;
	}
	line.length = min_u64(line.length, size - 2);
	text[line.length] = '\n';
	text[line.length + 1] = '\0';
	return line.length + 1;
}

/* ---- the closing block ---- */

static void print_counts(FILE *stream, const struct result *result,
			 const struct result_target *target)
{
	const struct tally *tally = &target->tally;
	uint64_t corrupted = tally->bad_checksum + tally->corrupt + tally->mixed;
	uint64_t errors = tally->icmp_errors + tally->send_errors;
	int64_t elapsed_ns = result_shown_ns(result, target->elapsed_ns);
	char percent[FORMAT_LENGTH];

	(void)fprintf(stream, "%llu packets transmitted, %llu received",
		      (unsigned long long)tally->sent, (unsigned long long)tally->received);
	if (tally->duplicates > 0)
		(void)fprintf(stream, ", +%llu duplicates", (unsigned long long)tally->duplicates);
	if (corrupted > 0)
		(void)fprintf(stream, ", +%llu corrupted", (unsigned long long)corrupted);
	if (errors > 0)
		(void)fprintf(stream, ", +%llu errors", (unsigned long long)errors);
	if (target->loss.known)
		(void)fprintf(stream, ", %s%% packet loss, time %lldms",
			      format_ping_percent(target->loss.value * 100.0, percent),
			      (long long)((elapsed_ns + NANOSECONDS_PER_MILLISECOND / 2) /
					  NANOSECONDS_PER_MILLISECOND));
	(void)fputc('\n', stream);
}

/* Ping's RTT: up to the kernel's receive stamp where there were stamps. */
static const struct histogram *ping_histogram(const struct result_target *target)
{
	if (target->rtt_ping != NULL && target->rtt_ping->samples > 0)
		return target->rtt_ping;
	if (target->rtt_user != NULL && target->rtt_user->samples > 0)
		return target->rtt_user;
	return NULL;
}

/* A figure of ping's as finely as the clock of the run could tell it. */
static const char *ping_text(const struct result *result, double ns,
			     char text[static FORMAT_LENGTH])
{
	return format_ping_time(result_shown_ns(result, (int64_t)ns), text);
}

static bool print_times(FILE *stream, const struct result *result,
			const struct result_target *target)
{
	const struct histogram *rtt = ping_histogram(target);
	char min[FORMAT_LENGTH], mean[FORMAT_LENGTH], max[FORMAT_LENGTH], mdev[FORMAT_LENGTH];
	bool was_answered = target->tally.received > 0 || target->tally.icmp_errors > 0;
	int64_t gap_ns = target->elapsed_ns / (int64_t)(max_u64(target->tally.sent, 2) - 1);
	const char *comma = "";

	if (rtt != NULL) {
		(void)fprintf(stream, "rtt min/avg/max/mdev = %s/%s/%s/%s ms",
			      ping_text(result, (double)rtt->min_ns, min),
			      ping_text(result, histogram_mean(rtt), mean),
			      ping_text(result, (double)rtt->max_ns, max),
			      ping_text(result, histogram_deviation(rtt), mdev));
		comma = ", ";
	}
	if (target->in_flight_max > 1 && was_answered) {
		(void)fprintf(stream, "%spipe %llu", comma,
			      (unsigned long long)target->in_flight_max);
		comma = ", ";
	}
	if (rtt != NULL && result->interval_ns == 0 && target->tally.sent > 1 &&
	    target->ewma_rtt_ns.known)
		(void)fprintf(stream, "%sipg/ewma %s/%s ms", comma,
			      ping_text(result, (double)gap_ns, min),
			      ping_text(result, target->ewma_rtt_ns.value, mean));
	(void)fputc('\n', stream);
	return rtt == NULL && *comma == '\0';
}

bool ping_statistics(FILE *stream, const struct result *result, const struct result_target *target)
{
	char name[NAME_LENGTH];

	(void)fprintf(stream, "\n--- %s ping statistics ---\n", safe(target->name, name));
	print_counts(stream, result, target);
	return print_times(stream, result, target);
}
