/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A ring of departures. Random numbers of its own decide which stamps are lost, so that the fate
 * of the packets does not depend on who has asked for stamps.
 */
#include "os/simulated_stamps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int simulated_stamps_open(struct simulated_stamps *stamps, double loss, uint64_t seed,
			  struct error *error)
{
	memset(stamps, 0, sizeof(*stamps));
	stamps->ring = calloc(SIMULATED_STAMPS_MAX, sizeof(*stamps->ring));
	if (stamps->ring == NULL)
		return error_set_system(error, ENOMEM, "cannot open the simulated network");
	stamps->mask = SIMULATED_STAMPS_MAX - 1;
	stamps->loss = loss;
	random_seed(&stamps->random, ~seed);
	return 0;
}

static bool arrives(struct simulated_stamps *stamps)
{
	return !(stamps->loss > 0) || random_unit(&stamps->random) >= stamps->loss;
}

void simulated_stamps_put(struct simulated_stamps *stamps, uint32_t id, int64_t queue_ns,
			  int64_t driver_ns)
{
	struct simulated_departure departure = {
		.id = id,
		.has = {arrives(stamps), arrives(stamps)},
		.at_ns = {queue_ns, driver_ns},
	};

	if (stamps->tail - stamps->head > stamps->mask || !(departure.has[0] || departure.has[1]))
		return;
	stamps->ring[stamps->tail++ & stamps->mask] = departure;
}

int64_t simulated_stamps_next(const struct simulated_stamps *stamps)
{
	if (stamps->head == stamps->tail)
		return TIME_NEVER_NS;
	return stamps->ring[stamps->head & stamps->mask].at_ns[TRANSPORT_STAMP_DRIVER];
}

uint32_t simulated_stamps_take(struct simulated_stamps *stamps, int64_t now_ns,
			       struct transport_stamp *taken, uint32_t count)
{
	static const enum transport_stamp_kind kinds[] = {TRANSPORT_STAMP_QUEUE,
							  TRANSPORT_STAMP_DRIVER};
	uint32_t used = 0;

	while (used + ARRAY_LENGTH(kinds) <= count && simulated_stamps_next(stamps) <= now_ns) {
		const struct simulated_departure *departure =
			&stamps->ring[stamps->head++ & stamps->mask];

		for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
			if (departure->has[i])
				taken[used++] = (struct transport_stamp){
					.id = departure->id,
					.kind = kinds[i],
					.stamp_ns = departure->at_ns[i],
					.real_ns = departure->at_ns[i],
				};
	}
	return used;
}

void simulated_stamps_close(struct simulated_stamps *stamps)
{
	free(stamps->ring);
	memset(stamps, 0, sizeof(*stamps));
}
