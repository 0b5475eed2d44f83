/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two outputs: one JSON object at the end, and the log, a line for every packet. What is
 * unknown is null.
 */
#include "peer.h"

#include <inttypes.h>
#include <stdlib.h>

static int compare(const void *left, const void *right)
{
	int64_t one = *(const int64_t *)left, other = *(const int64_t *)right;

	return (one > other) - (one < other);
}

/* The smallest sample that at least thousandths/1000 of all do not exceed. */
static int64_t percentile(const struct samples *samples, size_t thousandths)
{
	size_t rank = (samples->count * thousandths + 999) / 1000;

	return samples->ns[rank > 0 ? rank - 1 : 0];
}

static void print_samples(FILE *file, const char *name, struct samples *samples)
{
	fprintf(file, "  \"%s\": {\"samples\": %" PRId64, name, samples->seen);
	if (samples->count == 0) {
		fputs(", \"min\": null, \"p50\": null, \"p99\": null, \"max\": null},\n", file);
		return;
	}
	qsort(samples->ns, samples->count, sizeof(*samples->ns), compare);
	fprintf(file,
		", \"min\": %" PRId64 ", \"p50\": %" PRId64 ", \"p99\": %" PRId64
		", \"max\": %" PRId64 "},\n",
		samples->ns[0], percentile(samples, 500), percentile(samples, 990),
		samples->maximum);
}

static void print_number(FILE *file, const char *name, int64_t value)
{
	fprintf(file, "  \"%s\": %" PRId64 ",\n", name, value);
}

static void print_known(FILE *file, const char *name, bool known, int64_t value)
{
	if (known)
		print_number(file, name, value);
	else
		fprintf(file, "  \"%s\": null,\n", name);
}

static void print_family(FILE *file, const char *name, const struct family_count *count)
{
	fprintf(file,
		"  \"%s\": {\"packets_in\": %" PRId64 ", \"fragments_in\": %" PRId64
		", \"requests\": %" PRId64 ", \"replies\": %" PRId64 ", \"errors\": %" PRId64
		"},\n",
		name, count->packets, count->fragments, count->requests, count->replies,
		count->errors);
}

static void print_rules(FILE *file, const struct script *script)
{
	fputs("  \"rules\": [", file);
	for (int i = 0; i < script->count; i++)
		fprintf(file, "%s{\"line\": %d, \"matched\": %" PRId64 "}", i ? ", " : "",
			script->rule[i]->line, script->rule[i]->hits);
	fputs("],\n", file);
}

static void print_destinations(FILE *file, const struct statistics *statistics)
{
	char text[ADDRESS_TEXT];

	fprintf(file, "  \"destinations\": %zu,\n  \"per_destination\": [",
		statistics->destinations);
	for (size_t i = 0; i < statistics->destinations && i < DESTINATIONS_SHOWN; i++) {
		const struct destination *at = statistics->destination[i];

		fprintf(file,
			"%s\n    {\"address\": \"%s\", \"requests\": %" PRId64
			", \"replies\": %" PRId64 "}",
			i ? "," : "", address_text(&at->address, text), at->requests, at->replies);
	}
	fputs("]\n", file);
}

static void print_traffic(FILE *file, const struct peer *peer)
{
	const struct statistics *s = &peer->statistics;

	print_number(file, "packets_in", s->packets_in);
	print_number(file, "packets_out", s->packets_out);
	print_number(file, "bytes_in", s->bytes_in);
	print_number(file, "bytes_out", s->bytes_out);
	print_number(file, "fragments_in", s->fragments_in);
	print_number(file, "fragments_dropped", s->fragments_dropped);
	print_number(file, "fragments_out", s->fragments_out);
	print_number(file, "reassembled", s->reassembled);
	print_number(file, "reassembly_timeouts", s->reassembly_timeouts);
	print_number(file, "reassembly_duplicates", peer->reassembly.duplicates);
	print_number(file, "reassembly_overlaps", peer->reassembly.overlaps);
	print_number(file, "reassembly_replaced", peer->reassembly.replaced);
	print_number(file, "reassembly_evicted", peer->reassembly.evicted);
	print_number(file, "reassembly_open", peer->reassembly.count);
	print_number(file, "bad_checksum", s->bad_checksum);
	print_number(file, "malformed", s->malformed);
	print_number(file, "other", s->other);
	print_number(file, "write_errors", s->write_errors);
	print_known(file, "device_drops", s->device_drops >= 0, s->device_drops);
}

void report_print(struct peer *peer, FILE *file)
{
	struct statistics *s = &peer->statistics;
	double span_ns;

	statistics_outstanding(s, 0, clock_ns());
	span_ns = (double)(s->outstanding_since_ns - s->first_ns);
	fputs("{\n", file);
	print_number(file, "requests", s->requests);
	print_number(file, "dropped", s->dropped);
	print_number(file, "replies", s->replies);
	print_number(file, "errors", s->errors);
	print_number(file, "injected", s->injected);
	print_number(file, "held_at_end", (int64_t)peer->held_count);
	print_number(file, "queued_at_end", (int64_t)peer->queue.count);
	print_known(file, "smallest_request", s->requests > 0, s->smallest);
	print_known(file, "largest_request", s->requests > 0, s->largest);
	print_known(file, "first_arrival_ns", s->requests > 0, s->first_ns);
	print_known(file, "last_arrival_ns", s->requests > 0, s->last_ns);
	print_number(file, "sequence_gaps", s->sequence_gaps);
	print_number(file, "sequence_backwards", s->sequence_backwards);
	print_number(file, "sequence_repeats", s->sequence_repeats);
	print_number(file, "max_outstanding", s->max_outstanding);
	if (s->requests > 0 && span_ns > 0)
		fprintf(file, "  \"mean_outstanding\": %.6f,\n", s->outstanding_area / span_ns);
	else
		fputs("  \"mean_outstanding\": null,\n", file);
	print_traffic(file, peer);
	print_family(file, "ipv4", &s->family[0]);
	print_family(file, "ipv6", &s->family[1]);
	print_samples(file, "gap_ns", &s->gaps);
	print_samples(file, "lateness_ns", &s->lateness);
	print_rules(file, &peer->script);
	print_destinations(file, s);
	fputs("}\n", file);
}

void report_log(FILE *log, bool in, const uint8_t *bytes, size_t length, int64_t now_ns)
{
	char source[ADDRESS_TEXT], destination[ADDRESS_TEXT];
	struct packet_view view;
	const uint8_t *icmp;
	bool head;

	fprintf(log, "%" PRId64 " %s ", now_ns, in ? "in" : "out");
	if (packet_parse(bytes, length, &view) != 0) {
		fprintf(log, "- - - - - %zu - - - -\n", length);
		return;
	}
	icmp = view.payload;
	head = view.offset == 0 && view.payload_length >= 8 &&
	       view.protocol == (view.family == 6 ? PROTOCOL_ICMP6 : PROTOCOL_ICMP4);
	fprintf(log, "%d %s %s ", view.family, address_text(&view.source, source),
		address_text(&view.destination, destination));
	if (head)
		fprintf(log, "%u %u ", get16(icmp + 4), get16(icmp + 6));
	else
		fputs("- - ", log);
	fprintf(log, "%zu %zu %d ", length, view.offset, view.more);
	if (head)
		fprintf(log, "%u %u\n", icmp[0], icmp[1]);
	else
		fputs("- -\n", log);
}
