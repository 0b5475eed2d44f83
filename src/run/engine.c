/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loop. Its order is the point: receive first, so that receive times are early; then let
 * requests expire; then ask the pacers and send, so that little time lies between a send and
 * the next look at the socket; and wait only when there was nothing to do. It waits for packets
 * without having polled before: in a fast run the reply is there already.
 */
#include "run/engine_internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "os/signals.h"

int engine_open(struct engine **engine, const struct engine_setup *setup, struct error *error)
{
	struct engine *opened = calloc(1, sizeof(*opened));

	if (opened == NULL)
		return error_set(error, ERROR_NO_MEMORY, "no memory for the engine");
	opened->setup = *setup;
	opened->has_schedule = setup->pacer->has_schedule;
	int status = engine_allocate_all(opened, error);
	if (status < 0) {
		engine_close(opened);
		return status;
	}
	*engine = opened;
	return 0;
}

void engine_close(struct engine *engine)
{
	if (engine == NULL)
		return;
	for (uint32_t i = 0; i < engine->memory_count; i++)
		free(engine->memory[i]);
	free(engine);
}

struct pacer_settings engine_pacer_settings(const struct engine *engine)
{
	const struct configuration *configuration = engine->setup.configuration;
	struct pacer_settings settings = {
		.slots = configuration->depth != 0     ? configuration->depth
			 : configuration->preload != 0 ? configuration->preload
						       : 1,
		.slots_are_hard = configuration->depth != 0,
		.preload = configuration->preload != 0 ? configuration->preload : 1,
	};

	if (engine->has_schedule)
		settings.interval_ns =
			configuration_interval_ns(configuration, engine_active_targets(engine));
	return settings;
}

static int start_pacers(struct engine *engine, struct error *error)
{
	uint32_t targets = engine->setup.target_count;
	struct pacer_settings settings = engine_pacer_settings(engine);

	for (uint32_t i = 0; i < targets; i++) {
		if (!engine->setup.targets[i].usable) {
			engine->paces[i].finished = true;
			continue;
		}
		/* Targets start spread over the interval, so that they never send all at once. */
		settings.start_ns = engine->start_ns +
				    (int64_t)((int128)settings.interval_ns * i / targets);
		int status = pacer_init(&engine->paces[i].pacer, engine->setup.pacer, &settings,
					error);
		if (status < 0)
			return status;
		schedule_set(&engine->schedule, i, settings.start_ns);
		engine->unfinished++;
	}
	return 0;
}

void engine_slot_freed(void *context, uint32_t row)
{
	struct engine *engine = context;
	uint32_t target = engine_target_of_row(engine, row);

	if (!engine->paces[target].finished && !engine->has_schedule &&
	    schedule_due(&engine->schedule, target) > engine->now_ns)
		schedule_set(&engine->schedule, target, engine->now_ns);
}

static void fill_progress(struct engine *engine, struct progress *progress)
{
	const struct configuration *configuration = engine->setup.configuration;
	const struct account_target *first = &engine->account.targets[0];
	const struct histogram *rtt = first->rtt_user;
	const struct histogram *ping = first->rtt_ping;
	int64_t span_ns = engine->now_ns - engine->progress_ns;

	*progress = (struct progress){
		.elapsed_ns = engine->now_ns - engine->start_ns,
		.deadline_ns = configuration->deadline_ns,
		.targets = engine->setup.target_count,
		.p50_ns = -1, .p99_ns = -1, .mean_ns = -1, .min_ns = -1, .max_ns = -1,
		.ewma_ns = (int64_t)first->ewma_ns,
	};
	for (uint32_t i = 0; i < engine->setup.target_count; i++) {
		const struct tally *tally = &engine->account.targets[i].tally;

		progress->sent += tally->sent;
		progress->received += tally->received;
		progress->lost += tally->lost;
		progress->errors += tally->icmp_errors + tally->send_errors;
		progress->in_flight += engine->account.targets[i].slots.used;
		if (engine->setup.targets[i].usable)
			progress->wanted += configuration->count;
	}
	if (span_ns > 0)
		progress->received_per_s =
			(double)(progress->received - engine->progress_received) * 1e9 /
			(double)span_ns;
	if (rtt == NULL || rtt->samples == 0)
		return;
	progress->p50_ns = histogram_quantile(rtt, 0.5);
	if (histogram_supports(rtt->samples, 0.99))
		progress->p99_ns = histogram_quantile(rtt, 0.99);
	/* ping's own figures, beside its moving average */
	if (ping == NULL || ping->samples == 0)
		ping = rtt;
	progress->mean_ns = (int64_t)histogram_mean(ping);
	progress->min_ns = ping->min_ns;
	progress->max_ns = ping->max_ns;
}

static void tell_progress(struct engine *engine)
{
	const struct observer *observer = engine->setup.observer;
	struct progress progress;

	if (observer == NULL)
		return;
	if (observer->status != NULL && signals_take_status_request()) {
		fill_progress(engine, &progress);
		observer->status(observer->context, &progress);
	}
	if (observer->progress == NULL || engine->now_ns < engine->next_progress_ns)
		return;
	fill_progress(engine, &progress);
	observer->progress(observer->context, &progress);
	engine->progress_received = progress.received;
	engine->progress_ns = engine->now_ns;
	engine->next_progress_ns = engine->now_ns + ENGINE_PROGRESS_NS;
}

static void expire(struct engine *engine)
{
	if (engine->account.flight.waiting == 0)
		engine->next_expiry_ns = TIME_NEVER_NS;
	if (engine->now_ns < engine->next_expiry_ns)
		return;
	/* What lies unread in the socket may be the reply: look there first, within reason. */
	if (engine->receive_was_full && ++engine->busy_rounds < ENGINE_BUSY_ROUNDS_MAX)
		return;
	engine->busy_rounds = 0;
	engine->next_expiry_ns = account_expire(&engine->account, engine->now_ns,
						engine_slot_freed, engine);
	engine_watch_harm(engine);
}

/* Nothing is left to send, and nothing that could still be received is out. */
static bool is_done(const struct engine *engine)
{
	const struct flight *flight = &engine->account.flight;

	return engine->unfinished == 0 && flight->waiting == flight->hopeless;
}

/*
 * A run that has seen duplicates, or right replies after damaged ones or errors, is not over with
 * the first answer to its last request: what may follow is given twice the time that it was seen to
 * take (a fast host that is busy for a moment a little more), at most the timeout.
 */
static int64_t further_replies_until(const struct engine *engine)
{
	const struct account *account = &engine->account;

	if (account->slowest_further_ns == 0)
		return engine->last_sent_ns;
	return engine->last_sent_ns +
	       min_i64(max_i64(2 * min_i64(account->slowest_further_ns, account->timeout_ns),
			       ENGINE_FURTHER_MIN_NS),
		       account->timeout_ns);
}

/* Whether the run is over; says how it ended. */
static bool is_over(struct engine *engine)
{
	const struct flight *flight = &engine->account.flight;

	if (engine->ending == ENDING_FAULT)
		return true;
	if (signals_stop_requested() != 0) {
		engine->ending = ENDING_INTERRUPTED;
		return true;
	}
	if (is_done(engine) && engine->now_ns >= further_replies_until(engine)) {
		engine->ending = ENDING_COMPLETE;
		return true;
	}
	if (engine->now_ns < engine->deadline_ns)
		return false;
	engine->stop_sending = true;
	engine->ending = ENDING_DEADLINE;
	return flight->waiting == flight->hopeless || engine->now_ns >= engine->stop_waiting_ns;
}

static void wait_for_work(struct engine *engine)
{
	struct real_time *real_time = engine->setup.real_time;
	int descriptors[WAITER_DESCRIPTORS_MAX];
	uint32_t count = 0, target = 0;
	int64_t due_ns = schedule_first(&engine->schedule, &target);
	int64_t until_ns;

	/* Without room what is due must wait for an expiry; asking at once would only spin. */
	if (engine->stop_sending || !engine_has_room(engine))
		due_ns = TIME_NEVER_NS;
	due_ns = max_i64(due_ns, engine->blocked_until_ns);
	until_ns = min_i64(due_ns, engine->next_expiry_ns);
	until_ns = min_i64(until_ns, engine->warmup_until_ns);
	until_ns = min_i64(until_ns, engine_turn_until(engine));
	if (is_done(engine))
		until_ns = min_i64(until_ns, further_replies_until(engine));
	until_ns = min_i64(until_ns,
			   engine->stop_sending ? engine->stop_waiting_ns : engine->deadline_ns);
	if (engine->setup.observer != NULL && engine->setup.observer->progress != NULL)
		until_ns = min_i64(until_ns, engine->next_progress_ns);
	for (uint32_t i = 0; i < engine->setup.transport_count; i++) {
		struct transport *transport = engine->setup.transports[i];
		int descriptor = transport->row->descriptor(transport);

		if (descriptor >= 0 && engine->faults == 0)
			descriptors[count++] = descriptor;
	}
	if (signals_wake_descriptor() >= 0)
		descriptors[count++] = signals_wake_descriptor();
	if (real_time != NULL && real_time->descriptor >= 0)
		descriptors[count++] = real_time->descriptor;
	if (engine->faults > 0) /* a socket in trouble would wake us at once, again and again */
		until_ns = min_i64(until_ns, engine->now_ns + ENGINE_RETRY_NS);
	engine->setup.waiter->wait(engine->setup.waiter->context, descriptors, count, until_ns,
				   engine->has_schedule && until_ns == due_ns);
	signals_drain();
	engine->now_ns = clock_now(engine->setup.clock);
	engine->awake_ns = min_i64(until_ns, engine->now_ns);
	if (real_time != NULL)
		real_time_check(real_time, engine->now_ns);
	engine_note_clock_steps(engine);
}

/*
 * Free slots are filled before the next look at the socket, or a network that answers at once
 * would never see more than one batch in flight; but a long schedule or a deep window must not
 * keep replies waiting for ever.
 */
static bool send_what_is_due(struct engine *engine)
{
	uint32_t rounds = 0;

	/* The deadline may have passed since is_over looked: what is due at it is not sent. */
	while (!engine->stop_sending && engine->now_ns < engine->deadline_ns &&
	       rounds < ENGINE_SEND_ROUNDS_MAX) {
		engine_end_warmup_if_due(engine);
		engine_end_turn_if_due(engine);
		if (!engine_send(engine))
			break;
		rounds++;
	}
	return rounds > 0;
}

static void drain_error_queues(struct engine *engine)
{
	for (uint32_t i = 0; i < engine->setup.transport_count; i++) {
		engine_drain_stamps(engine, i);
		(void)engine_drain_errors(engine, i);
	}
}

int engine_run(struct engine *engine, struct error *error)
{
	bool waited = false;

	engine->start_ns = clock_now(engine->setup.clock);
	engine->now_ns = engine->start_ns;
	engine->progress_ns = engine->start_ns;
	engine->next_progress_ns = engine->start_ns + ENGINE_PROGRESS_NS;
	engine->next_expiry_ns = TIME_NEVER_NS;
	engine->deadline_ns = TIME_NEVER_NS;
	engine->stop_waiting_ns = TIME_NEVER_NS;
	int status = engine_has_series(engine) ? engine_start_turns(engine, error)
					       : start_pacers(engine, error);
	if (status < 0)
		return status;
	engine_start_warmup(engine);
	engine->awake_ns = engine->start_ns;
	while (!is_over(engine)) {
		engine_watch_standstill(engine);
		if (!waited)
			engine->awake_ns = engine->now_ns;
		bool received = engine_receive(engine);

		expire(engine);
		bool sent = send_what_is_due(engine);
		tell_progress(engine);
		if (engine->setup.capture != NULL)
			fragment_capture_drain(engine->setup.capture, engine->now_ns);
		if (received || sent) {
			waited = false;
			continue;
		}
		if (waited) /* woken, yet nothing to receive: an error or a stamp is queued */
			drain_error_queues(engine);
		if (is_over(engine))
			break;
		wait_for_work(engine);
		waited = true;
	}
	engine_watch_standstill(engine);
	engine_close_sampling(engine);
	account_close(&engine->account, engine->now_ns);
	return 0;
}
