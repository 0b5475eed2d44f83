/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine's own state, shared by its rooms: engine.c (the loop), engine_memory.c (what is
 * allocated), send.c, receive.c, sampling.c and freeze.c. Nobody outside src/run includes this.
 */
#ifndef FPING_BENCH_RUN_ENGINE_INTERNAL_H
#define FPING_BENCH_RUN_ENGINE_INTERNAL_H

#include "core/account.h"
#include "core/schedule.h"
#include "core/stamps.h"
#include "core/wire_format.h"
#include "run/engine.h"

#define ENGINE_LOG_MAX 4096u /* RTTs of a turn that its conductor sees one by one */
#define ENGINE_PROGRESS_NS (100 * NANOSECONDS_PER_MILLISECOND)
#define ENGINE_RETRY_NS (10 * NANOSECONDS_PER_MILLISECOND) /* after a send that failed for good */
#define ENGINE_BACK_OFF_MIN_NS (100 * NANOSECONDS_PER_MICROSECOND) /* after EAGAIN, ENOBUFS */
#define ENGINE_BACK_OFF_MAX_NS (10 * NANOSECONDS_PER_MILLISECOND)
/* So long no room: each send fails then. An unknown neighbour holds its packets for 3 s. */
#define ENGINE_BLOCKED_MAX_NS (5 * NANOSECONDS_PER_SECOND)
#define ENGINE_LINGER_NS (30 * NANOSECONDS_PER_MILLISECOND) /* after the deadline */
/* Least time for replies that may follow an answer, in a run that has seen such. */
#define ENGINE_FURTHER_MIN_NS (20 * NANOSECONDS_PER_MILLISECOND)
#define ENGINE_STANDSTILL_MIN_NS (100 * NANOSECONDS_PER_MILLISECOND) /* less: a busy machine */
#define ENGINE_FAULTS_MAX 100u /* receive errors in a row */
#define ENGINE_SEND_ROUNDS_MAX 16u /* batches sent between two looks at the socket */
#define ENGINE_BUSY_ROUNDS_MAX 16u /* rounds with a full batch before requests expire anyway */

/* The pace of one target. */
struct engine_pace {
	struct pacer pacer;
	bool finished;
	uint64_t skipped_before; /* by the pacer, when the measurement started */
	uint64_t skipped_in_turns; /* by the pacers of turns that are over */
	int64_t retry_at_ns;     /* no send before; 0: at once */
	int64_t outage_from_ns;  /* since when sends fail; INT64_MIN: they do not */
	char outage_what[80];
	struct result_outage outages[RESULT_OUTAGES_MAX];
	uint32_t outage_count;
};

/* One request of the batch that is being made. */
struct engine_request {
	uint32_t target;
	int64_t intended_ns;
};

struct engine {
	struct engine_setup setup;
	struct account account;
	struct engine_pace *paces;
	struct schedule schedule;
	bool has_schedule; /* the pacer has one: intended times mean something */

	struct payload_plan *plans;   /* series: one a target; NULL: the setup's for all */
	struct harm_budget *harms;    /* one a host; NULL: nothing that is sent is cut */
	uint64_t harm_most;           /* bytes held at one host when the run was ended for it */
	struct account_log turn_log;
	struct series_turn turn;
	bool has_turn;

	const struct wire_format *formats[2]; /* per transport */
	struct wire_expectation expectations[2];
	uint32_t first_target[2]; /* where it counts if nothing ties an arrival to a target */

	uint32_t batch;
	uint32_t packet_bytes;
	uint8_t *send_memory;
	struct transport_outgoing outgoing[TRANSPORT_BATCH];
	struct engine_request requests[TRANSPORT_BATCH];
	uint32_t visited[TRANSPORT_BATCH]; /* targets whose pacers were asked for this batch */
	uint8_t template_of[TRANSPORT_BATCH]; /* transport that a packet's header was built for */

	uint32_t receive_most; /* packets taken in one round */
	uint8_t *receive_memory;
	struct transport_incoming incoming[TRANSPORT_BATCH];
	bool receive_was_full;

	uint32_t stamp_every; /* one request in so many is stamped on its way; 0: none is */
	struct stamps stamps;
	struct transport_stamp sent_stamps[TRANSPORT_BATCH];
	uint32_t clock_steps; /* of real time, that are known here */

	uint32_t *by_source; /* open addressing: target index + 1 */
	uint32_t by_source_mask;

	bool has_shadows;        /* the account has a second row for each target: of its warm-up */
	bool is_warming;
	int64_t warmup_start_ns;
	int64_t warmup_until_ns; /* TIME_NEVER_NS: by count, or none */
	int64_t warmup_ns;       /* how long it took */
	uint32_t steps_before;   /* of the real-time clock, when the measurement started */
	uint64_t drops_before[2]; /* per transport */

	int64_t start_ns;        /* of the measurement */
	int64_t now_ns;
	int64_t deadline_ns;     /* TIME_NEVER_NS: none */
	int64_t stop_waiting_ns; /* after the deadline: until then replies are still taken */
	int64_t last_sent_ns;
	int64_t awake_ns;        /* since when the loop should be back at work, at the latest */
	int64_t stopped_ns;      /* how long the process was stopped, at least */
	uint32_t stops;
	int64_t next_expiry_ns;
	int64_t next_progress_ns;
	int64_t blocked_until_ns;
	int64_t blocked_since_ns; /* of the first send in a row that was put off */
	int64_t back_off_ns;
	uint64_t progress_received;
	int64_t progress_ns;
	uint32_t unfinished;
	uint32_t busy_rounds;
	uint32_t faults;
	bool stop_sending;
	enum result_ending ending;
	char fault[200];

	void *memory[32]; /* everything that was allocated */
	uint32_t memory_count;
};

/* Allocates, zeroed and owned by the engine; NULL with a sentence in error. */
void *engine_allocate(struct engine *engine, uint64_t count, uint64_t size, struct error *error)
	MUST_CHECK;

/* Everything that a run needs in memory. */
int engine_allocate_all(struct engine *engine, struct error *error) MUST_CHECK;

/* The least power of two that is not below. */
uint64_t engine_power_of_two(uint64_t at_least);

/* Most slots that all targets hold together, or requests out at once on a schedule. */
uint64_t engine_outstanding(const struct engine *engine);

/* Makes and sends at most one batch of what is due. Returns whether anything was sent. */
bool engine_send(struct engine *engine);

/* Takes note of a time in which the process was stopped; once a round. */
void engine_watch_standstill(struct engine *engine);

/* Starts the warm-up, or the measurement if there is none. */
void engine_start_warmup(struct engine *engine);

/* The measurement starts now. */
void engine_start_measurement(struct engine *engine);

/* Starts the measurement if every target has had its warm-up. */
void engine_end_warmup_if_due(struct engine *engine);

/* How many of `count` requests may be sent now: a warm-up by count waits for all targets. */
uint32_t engine_limit_warmup(const struct engine *engine, uint32_t target, uint32_t count);

/* A request of the measurement was answered: slots that the warm-up has lost are freed. */
void engine_release_warmup(struct engine *engine, uint32_t target);

/* ---- series ---- */

static inline bool engine_has_series(const struct engine *engine)
{
	return engine->setup.series != NULL;
}

/* Targets that send at the same time. */
static inline uint32_t engine_active_targets(const struct engine *engine)
{
	return engine_has_series(engine) ? 1 : engine->setup.target_count;
}

/* -c with -w: it is replies that are counted. */
static inline bool engine_counts_replies(const struct engine *engine)
{
	const struct configuration *configuration = engine->setup.configuration;

	return !engine_has_series(engine) && configuration->deadline_ns != 0 &&
	       configuration->count != 0;
}

/* What the requests to a target look like. */
static inline const struct payload_plan *engine_plan(const struct engine *engine, uint32_t target)
{
	return engine->plans != NULL ? &engine->plans[target] : engine->setup.plan;
}

/* How requests to a target are cut by hand; NULL: they are not. */
static inline const struct fragment_cut *engine_cut(const struct engine *engine, uint32_t target)
{
	const struct series_point *point;

	if (!engine_has_series(engine))
		return engine->setup.targets[target].cut;
	point = &engine->setup.series->points[target];
	return point->has_cut ? &point->cut : NULL;
}

/* What a turn of the run's own pace asks of a pacer, without count and start. */
struct pacer_settings engine_pacer_settings(const struct engine *engine);

/* Asks for the first turn. */
int engine_start_turns(struct engine *engine, struct error *error) MUST_CHECK;

/* Asks for the next turn if this one is over. */
void engine_end_turn_if_due(struct engine *engine);

/* When the turn is over whatever comes; TIME_NEVER_NS while it is sending. */
int64_t engine_turn_until(const struct engine *engine);

/* Memory for series and for the estimate of what lost fragments hold at the hosts. */
int engine_allocate_series(struct engine *engine, struct error *error) MUST_CHECK;

/* What a request to the target with so much data holds at the host if a piece of it is lost. */
uint64_t engine_pinned_bytes(const struct engine *engine, uint32_t target, uint32_t payload_bytes);

/* When the target's host has let go what lost fragments hold, if that is too much; else now. */
int64_t engine_harm_free_at(const struct engine *engine, uint32_t target);

/* Ends the run, or the turn, if lost fragments may hold too much of a host's memory. */
void engine_watch_harm(struct engine *engine);

/* The row of the account to which a request to the target is booked now. */
static inline uint32_t engine_row(const struct engine *engine, uint32_t target)
{
	return engine->is_warming ? target + engine->setup.target_count : target;
}

/* The target of a row of the account. */
static inline uint32_t engine_target_of_row(const struct engine *engine, uint32_t row)
{
	return row < engine->setup.target_count ? row : row - engine->setup.target_count;
}

/* Slots that the target has in use, those of its warm-up included. */
static inline uint32_t engine_slots_used(const struct engine *engine, uint32_t target)
{
	const struct account_target *rows = engine->account.targets;

	return rows[target].slots.used +
	       (engine->has_shadows ? rows[target + engine->setup.target_count].slots.used : 0);
}

/* Sends of this target do not fail any more, or no more are made: notes for how long they did. */
void engine_end_outage(struct engine *engine, struct engine_pace *pace);

/* The target sends no more. */
void engine_finish_target(struct engine *engine, uint32_t target);

/* Takes what has arrived, at most one batch a transport. Returns whether anything came. */
bool engine_receive(struct engine *engine);

/*
 * Empties the error queue of a transport. Returns the last MTU that an error of this host told,
 * 0 when none did.
 */
uint32_t engine_drain_errors(struct engine *engine, uint32_t transport);

/* What --stamps split needs in memory; nothing where it was not asked for or cannot be had. */
int engine_allocate_sampling(struct engine *engine, struct error *error) MUST_CHECK;

/* Takes the send stamps that have come back; nothing where there are none. */
void engine_drain_stamps(struct engine *engine, uint32_t transport);

/* Takes those of all transports, if some are out. Once a round, after the look at the sockets. */
void engine_take_stamps(struct engine *engine);

/*
 * The time right before a receive call, if it may bring the reply to a stamped request; else
 * STAMPS_NONE, since a reading of the clock is not free.
 */
int64_t engine_receive_call(const struct engine *engine);

/* Voids the stamps of what is under way if real time was set since the last call. */
void engine_note_clock_steps(struct engine *engine);

/* The run is over: the last stamps are taken, and what is still out is counted as missing. */
void engine_close_sampling(struct engine *engine);

/* The target that has this address, ACCOUNT_NO_TARGET if none has. */
uint32_t engine_target_of(const struct engine *engine, const struct address *address);

/* A slot of the target has become free: its pacer is asked again. For account_expire, too. */
void engine_slot_freed(void *context, uint32_t target);

/* Whether a whole batch can be sent without forgetting a request that is still waited for. */
static inline bool engine_has_room(const struct engine *engine)
{
	return flight_room(&engine->account.flight) > engine->batch;
}

static inline bool engine_is_observed(const struct engine *engine)
{
	return engine->setup.observer != NULL && engine->setup.observer->observe != NULL &&
	       engine->setup.observer->wants_replies;
}

#endif
