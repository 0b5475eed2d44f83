/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the tap makes of its stamps when all is over: round-trip times of the pairs, and how well
 * the requests kept a schedule. Every figure is exact; nothing is put into classes.
 */
#include "tap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void *need(void *memory)
{
	if (memory == NULL) {
		fprintf(stderr, "tap: no memory\n");
		exit(1);
	}
	return memory;
}

void sightings_add(struct sightings *sightings, uint64_t key, int64_t stamp_ns)
{
	if (sightings->count == sightings->room) {
		sightings->room = sightings->room != 0 ? 2 * sightings->room : 65536;
		sightings->at = need(
			realloc(sightings->at, sightings->room * sizeof(*sightings->at)));
	}
	sightings->at[sightings->count++] =
		(struct sighting){.key = key, .stamp_ns = stamp_ns};
}

static int compare_times(const void *a, const void *b)
{
	int64_t first = *(const int64_t *)a, second = *(const int64_t *)b;

	return (first > second) - (first < second);
}

/* The smallest value that at least the share of all does not exceed; the values are sorted. */
static int64_t quantile(const int64_t *sorted, size_t count, double share)
{
	double rank = share * (double)count;
	size_t at = (size_t)rank;

	if (rank > (double)at)
		at++;
	return sorted[at > 0 ? at - 1 : 0];
}

static void write_figures(FILE *file, const char *name, int64_t *times, size_t count)
{
	double sum = 0;

	if (count == 0) {
		fprintf(file, "\"%s\":null", name);
		return;
	}
	qsort(times, count, sizeof(*times), compare_times);
	for (size_t i = 0; i < count; i++)
		sum += (double)times[i];
	fprintf(file,
		"\"%s\":{\"samples\":%zu,\"min_ns\":%" PRId64 ",\"p50_ns\":%" PRId64
		",\"p99_ns\":%" PRId64 ",\"max_ns\":%" PRId64 ",\"mean_ns\":%.1f}",
		name, count, times[0], quantile(times, count, 0.5), quantile(times, count, 0.99),
		times[count - 1], sum / (double)count);
}

/*
 * A table of the requests by key, open addressing, at most half full. A key that comes twice (the
 * same data, identifier and sequence) stands for its latest request before the reply, so each
 * list is walked in order of time.
 */
void figures_rtt(FILE *file, const struct sightings *requests, const struct sightings *replies)
{
	size_t size = 16, sent = 0, pairs = 0;
	int64_t *times = need(malloc((replies->count + 1) * sizeof(*times)));
	const struct sighting **table;

	while (size < 2 * requests->count)
		size *= 2;
	table = need(calloc(size, sizeof(*table)));
	for (size_t i = 0; i < replies->count; i++) {
		const struct sighting *reply = &replies->at[i];
		size_t place;

		while (sent < requests->count && requests->at[sent].stamp_ns <= reply->stamp_ns) {
			const struct sighting *request = &requests->at[sent++];

			place = request->key & (size - 1);
			while (table[place] != NULL && table[place]->key != request->key)
				place = (place + 1) & (size - 1);
			table[place] = request;
		}
		place = reply->key & (size - 1);
		while (table[place] != NULL && table[place]->key != reply->key)
			place = (place + 1) & (size - 1);
		if (table[place] != NULL)
			times[pairs++] = reply->stamp_ns - table[place]->stamp_ns;
	}
	write_figures(file, "rtt", times, pairs);
	free(table);
	free(times);
}

/*
 * The tap does not know when the schedule began. It takes the beginning at which no request is
 * early: the least of (stamp - number x interval). A sender can be late by any amount, and the way
 * through the kernel only adds, but nobody has a reason to be early; the first request, on the
 * other hand, is the one that meets cold caches. A place of the schedule that is never made up for
 * (from some request on all are late by a whole interval or more) was left out: it is counted as
 * missed and not held against the rest.
 */
void figures_schedule(FILE *file, const struct sightings *requests, int64_t interval_ns)
{
	size_t count = requests->count;
	int64_t *lateness, *least, *gaps;
	int64_t start_ns, span_ns, missed = 0;

	if (count < 2) {
		fprintf(file, "\"schedule\":null");
		return;
	}
	lateness = need(malloc(count * sizeof(*lateness)));
	least = need(malloc(count * sizeof(*least)));
	gaps = need(malloc(count * sizeof(*gaps)));
	for (size_t i = 0; i < count; i++)
		lateness[i] = requests->at[i].stamp_ns - requests->at[0].stamp_ns -
			      (int64_t)i * interval_ns;
	least[count - 1] = lateness[count - 1]; /* of this request and all later ones */
	for (size_t i = count - 1; i-- > 0;)
		least[i] = lateness[i] < least[i + 1] ? lateness[i] : least[i + 1];
	start_ns = least[0];
	for (size_t i = 0; i < count; i++) {
		missed = (least[i] - start_ns) / interval_ns;
		lateness[i] -= start_ns + missed * interval_ns;
	}
	for (size_t i = 1; i < count; i++)
		gaps[i - 1] = llabs(requests->at[i].stamp_ns - requests->at[i - 1].stamp_ns -
				    interval_ns);
	span_ns = requests->at[count - 1].stamp_ns - requests->at[0].stamp_ns;
	fprintf(file,
		"\"schedule\":{\"interval_ns\":%" PRId64 ",\"sent\":%zu,\"missed\":%" PRId64
		",\"span_ns\":%" PRId64 ",\"rate_per_s\":%.3f,",
		interval_ns, count, missed, span_ns, (double)(count - 1) * 1e9 / (double)span_ns);
	write_figures(file, "error", lateness, count);
	fprintf(file, ",");
	write_figures(file, "gap_error", gaps, count - 1);
	fprintf(file, "}");
	free(lateness);
	free(least);
	free(gaps);
}
