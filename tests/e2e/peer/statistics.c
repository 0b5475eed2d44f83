/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The accounts of a run. Durations are kept one by one: the peer is the witness against which
 * percentiles are judged, so its own are exact.
 */
#include "peer.h"

#include <stdlib.h>

void samples_add(struct samples *samples, int64_t ns)
{
	if (samples->seen++ == 0 || ns > samples->maximum)
		samples->maximum = ns;
	if (samples->count == SAMPLES_MAX)
		return;
	if (samples->count == samples->room) {
		samples->room = samples->room ? samples->room * 2 : 4096;
		samples->ns = need(realloc(samples->ns, samples->room * sizeof(*samples->ns)));
	}
	samples->ns[samples->count++] = ns;
}

/* Counts the time spent at the old number before it changes. */
void statistics_outstanding(struct statistics *statistics, int change, int64_t now_ns)
{
	if (statistics->outstanding_since_ns == 0)
		statistics->outstanding_since_ns = now_ns;
	statistics->outstanding_area += (double)statistics->outstanding *
					(double)(now_ns - statistics->outstanding_since_ns);
	statistics->outstanding_since_ns = now_ns;
	statistics->outstanding += change;
	if (statistics->outstanding > statistics->max_outstanding)
		statistics->max_outstanding = statistics->outstanding;
}

static size_t bucket_of(const struct address *address)
{
	uint64_t hash = address->family;

	for (int i = 0; i < 16; i++)
		hash = hash * 31 + address->bytes[i];
	return hash % DESTINATION_BUCKETS;
}

struct destination *statistics_destination(struct statistics *statistics,
					   const struct address *address)
{
	struct destination *at = statistics->bucket[bucket_of(address)];

	while (at && !address_equal(&at->address, address))
		at = at->chain;
	return at;
}

static struct destination *add_destination(struct statistics *statistics,
					   const struct address *address)
{
	struct destination **bucket = &statistics->bucket[bucket_of(address)];
	struct destination *at = need(calloc(1, sizeof(*at)));
	size_t count = statistics->destinations;

	if ((count & (count - 1)) == 0) /* room grows at the powers of 2 */
		statistics->destination =
			need(realloc(statistics->destination,
				     (count ? count * 2 : 1) * sizeof(*statistics->destination)));
	statistics->destination[statistics->destinations++] = at;
	at->address = *address;
	at->chain = *bucket;
	*bucket = at;
	return at;
}

/* Steps of the 16-bit sequence number, per destination and identifier. */
static void count_sequence(struct statistics *statistics, struct destination *destination,
			   const struct request *request)
{
	uint16_t step = (uint16_t)(request->sequence - destination->sequence);
	bool backwards = step >= 32768;

	if (destination->requests > 0 && destination->id == request->id) {
		statistics->sequence_repeats += step == 0;
		statistics->sequence_backwards += backwards;
		if (step > 1 && !backwards)
			statistics->sequence_gaps += step - 1;
		if (backwards)
			return;
	}
	destination->id = request->id;
	destination->sequence = request->sequence;
}

void statistics_request(struct statistics *statistics, const struct request *request)
{
	struct destination *destination = statistics_destination(statistics, &request->destination);
	int64_t size = (int64_t)request->icmp_length - 8;

	if (!destination)
		destination = add_destination(statistics, &request->destination);
	count_sequence(statistics, destination, request);
	destination->requests++;
	if (statistics->requests == 1) {
		statistics->first_ns = request->arrival_ns;
		statistics->outstanding_since_ns = request->arrival_ns;
		statistics->smallest = statistics->largest = size;
	} else {
		samples_add(&statistics->gaps, request->arrival_ns - statistics->last_ns);
	}
	statistics->last_ns = request->arrival_ns;
	if (size < statistics->smallest)
		statistics->smallest = size;
	if (size > statistics->largest)
		statistics->largest = size;
}

void statistics_free(struct statistics *statistics)
{
	for (size_t i = 0; i < statistics->destinations; i++)
		free(statistics->destination[i]);
	free(statistics->destination);
	free(statistics->gaps.ns);
	free(statistics->lateness.ns);
}
