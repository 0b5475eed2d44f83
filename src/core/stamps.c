/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of stamped requests. It is a ring in order of sending, since requests are answered in
 * about that order too: a sample that is through leaves as soon as it is the oldest one, so the
 * ring holds little more than what is under way, and a request is found in it by halving.
 *
 * The parts of a round trip are differences of stamps that follow each other, so their sum is the
 * end minus the start whatever the stamps in the middle say. What the sum cannot hide is a part
 * below zero. Within the error of two clocks compared (1 us) that is none: it is recorded as 0, the
 * nearest value that can be true, which also brings the sum nearer to the round trip, since the
 * error was made in bringing that very stamp over. More than that is a real-time clock that was
 * set, and the sample is void.
 */
#include "core/stamps.h"

#define HAS(kind) (1u << (kind))
#define HAS_SENDING (HAS(STAMPS_QUEUE) | HAS(STAMPS_DRIVER))
#define GOLDEN UINT32_C(2654435769) /* 2^32 / golden ratio */

void stamps_init(struct stamps *stamps, struct stamps_sample *ring, uint64_t entries,
		 struct stamps_target *targets, uint32_t every, int64_t timeout_ns)
{
	*stamps = (struct stamps){
		.ring = ring,
		.mask = entries - 1,
		.targets = targets,
		.every = every,
		.timeout_ns = timeout_ns,
	};
}

/* ---- which requests are sampled ---- */

static bool is_sampled(const struct stamps *stamps, uint32_t phase, uint64_t number)
{
	uint64_t block = number / stamps->every;
	uint32_t turn = phase + (uint32_t)block * GOLDEN; /* of 2^32 */

	return number % stamps->every == (uint64_t)turn * stamps->every >> 32;
}

bool stamps_wants(const struct stamps *stamps, uint32_t target, uint32_t ahead)
{
	const struct stamps_target *of = &stamps->targets[target];

	return is_sampled(stamps, of->phase, of->requests + ahead);
}

/* ---- the ring ---- */

static struct stamps_sample *sample_at(const struct stamps *stamps, uint64_t place)
{
	return &stamps->ring[place & stamps->mask];
}

/* The remembered sample of that sequence that is not through, or NULL. */
static struct stamps_sample *find(const struct stamps *stamps, uint64_t sequence)
{
	uint64_t low = stamps->head, high = stamps->tail;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		struct stamps_sample *sample = sample_at(stamps, middle);

		if (sample->sequence == sequence)
			return sample->is_done ? NULL : sample;
		if (sample->sequence < sequence)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static bool lacks_stamps(const struct stamps_sample *sample)
{
	return (sample->kinds & HAS_SENDING) != HAS_SENDING ||
	       (sample->receive_hardware_ns != STAMPS_NONE &&
		(sample->kinds & HAS(STAMPS_HARDWARE)) == 0);
}

static void retire(struct stamps *stamps, struct stamps_sample *sample)
{
	if (lacks_stamps(sample))
		stamps->lacking--;
	if (!sample->is_answered)
		stamps->unanswered--;
	sample->is_done = true;
}

/* The sample will not become whole any more: what it lacked is counted, if it was answered. */
static void give_up(struct stamps *stamps, struct stamps_sample *sample)
{
	struct result_stamps *counts = &stamps->targets[sample->target].counts;

	if (sample->is_void) {
		counts->voided++;
	} else if (sample->is_answered && !sample->is_recorded) {
		counts->missing_queue += (sample->kinds & HAS(STAMPS_QUEUE)) == 0;
		counts->missing_driver += (sample->kinds & HAS(STAMPS_DRIVER)) == 0;
		counts->missing_receive += sample->receive_real_ns == STAMPS_NONE;
		stamps->left_lacking += (sample->kinds & HAS_SENDING) != HAS_SENDING;
	}
	retire(stamps, sample);
}

static void drop_oldest(struct stamps *stamps)
{
	struct stamps_sample *sample = sample_at(stamps, stamps->head);

	if (!sample->is_done)
		give_up(stamps, sample);
	stamps->head++;
}

/* What is through leaves as soon as nothing older is in its way. */
static void drop_done(struct stamps *stamps)
{
	while (stamps->head < stamps->tail && sample_at(stamps, stamps->head)->is_done)
		stamps->head++;
}

void stamps_sent(struct stamps *stamps, uint32_t target, uint64_t sequence, int64_t call_ns)
{
	struct stamps_target *of = &stamps->targets[target];
	struct stamps_sample *sample;

	if (!is_sampled(stamps, of->phase, of->requests++))
		return;
	if (stamps->tail - stamps->head > stamps->mask)
		drop_oldest(stamps);
	sample = sample_at(stamps, stamps->tail++);
	*sample = (struct stamps_sample){
		.sequence = sequence,
		.target = target,
		.call_ns = call_ns,
		.receive_hardware_ns = STAMPS_NONE,
	};
	stamps->unanswered++;
	stamps->lacking++;
	of->counts.sampled++;
}

/* ---- a sample that is whole ---- */

/* The parts of the round trip: false if the sample is void. */
static bool measure(const struct stamps_sample *sample, int64_t parts[static BUDGET_PARTS])
{
	int64_t queue_ns = sample->stamp_ns[STAMPS_QUEUE];
	int64_t driver_ns = sample->stamp_ns[STAMPS_DRIVER];
	/* A reply that arrives during the call has not waited for it. */
	int64_t fetched_ns = max_i64(sample->receive_call_ns, sample->receive_ns);

	if (queue_ns == STAMPS_NONE || driver_ns == STAMPS_NONE ||
	    sample->receive_ns == STAMPS_NONE)
		return false;
	parts[BUDGET_CALL_TO_QUEUE] = queue_ns - sample->call_ns;
	parts[BUDGET_QUEUE_TO_DRIVER] =
		sample->real_ns[STAMPS_DRIVER] - sample->real_ns[STAMPS_QUEUE];
	parts[BUDGET_DRIVER_TO_DRIVER] = sample->receive_real_ns - sample->real_ns[STAMPS_DRIVER];
	parts[BUDGET_DRIVER_TO_SOCKET] = fetched_ns - sample->receive_ns;
	parts[BUDGET_SOCKET_TO_US] = sample->read_ns - fetched_ns;
	for (int part = 0; part < BUDGET_PARTS; part++) {
		if (parts[part] < -STAMPS_ERROR_NS)
			return false;
		parts[part] = max_i64(parts[part], 0);
	}
	return true;
}

static void add_moments(struct stamps_moments *moments, uint64_t samples, double ping_ns,
			double sending_ns, double kernel_ns)
{
	double off_ping = ping_ns - moments->ping_ns; /* from the mean so far */
	double count = (double)samples;

	moments->ping_ns += off_ping / count;
	moments->sending_ns += (sending_ns - moments->sending_ns) / count;
	moments->kernel_ns += (kernel_ns - moments->kernel_ns) / count;
	moments->ping_ping += off_ping * (ping_ns - moments->ping_ns);
	moments->ping_sending += off_ping * (sending_ns - moments->sending_ns);
	moments->ping_kernel += off_ping * (kernel_ns - moments->kernel_ns);
}

/* The sample has all that software stamps can tell. */
static void record(struct stamps *stamps, struct stamps_sample *sample)
{
	struct stamps_target *target = &stamps->targets[sample->target];
	int64_t parts[BUDGET_PARTS];
	int64_t sending_ns;

	if (sample->receive_real_ns == STAMPS_NONE && !sample->is_void) {
		target->counts.missing_receive++;
		retire(stamps, sample);
		return;
	}
	if (sample->is_void || !measure(sample, parts)) {
		target->counts.voided++;
		retire(stamps, sample);
		return;
	}
	for (int part = 0; part < BUDGET_PARTS; part++)
		histogram_record(part == BUDGET_DRIVER_TO_DRIVER ? target->rtt_kernel
								 : target->budget[part],
				 parts[part]);
	sending_ns = sample->stamp_ns[STAMPS_DRIVER] - sample->call_ns;
	target->sending_sum_ns += sending_ns;
	target->counts.complete++;
	add_moments(&target->moments, target->counts.complete,
		    (double)(sample->receive_ns - sample->call_ns), (double)sending_ns,
		    (double)parts[BUDGET_DRIVER_TO_DRIVER]);
	stamps->complete++;
	sample->is_recorded = true;
}

/* A piece has come: is the sample whole now? */
static void judge(struct stamps *stamps, struct stamps_sample *sample)
{
	int64_t hardware_ns;

	if (!sample->is_recorded && sample->is_answered &&
	    (sample->kinds & HAS_SENDING) == HAS_SENDING)
		record(stamps, sample);
	if (sample->is_recorded && !lacks_stamps(sample)) {
		hardware_ns = sample->receive_hardware_ns - sample->real_ns[STAMPS_HARDWARE];
		if (sample->receive_hardware_ns != STAMPS_NONE && hardware_ns >= 0)
			histogram_record(stamps->targets[sample->target].rtt_hardware, hardware_ns);
		retire(stamps, sample);
	}
	drop_done(stamps);
}

void stamps_take(struct stamps *stamps, uint32_t id, enum stamps_kind kind, int64_t stamp_ns,
		 int64_t real_ns)
{
	struct stamps_sample *sample;
	uint64_t newest;

	if (stamps->head == stamps->tail)
		return;
	/* The newest sequence with these low bits that a remembered sample can have. */
	newest = sample_at(stamps, stamps->tail - 1)->sequence;
	sample = find(stamps, newest - (uint32_t)((uint32_t)newest - id));
	if (sample == NULL || (sample->kinds & HAS(kind)) != 0)
		return;
	if (lacks_stamps(sample))
		stamps->lacking--;
	sample->kinds |= (uint8_t)HAS(kind);
	sample->stamp_ns[kind] = stamp_ns;
	sample->real_ns[kind] = real_ns;
	if (lacks_stamps(sample))
		stamps->lacking++;
	judge(stamps, sample);
}

void stamps_answer(struct stamps *stamps, const struct stamps_reply *reply)
{
	struct stamps_sample *sample = find(stamps, reply->sequence);

	if (sample == NULL || sample->is_answered)
		return;
	if (lacks_stamps(sample))
		stamps->lacking--;
	sample->is_answered = true;
	sample->is_void = reply->is_void;
	stamps->unanswered--;
	sample->receive_ns = reply->stamp_ns;
	sample->receive_real_ns = reply->real_ns;
	sample->receive_hardware_ns = reply->hardware_ns;
	sample->receive_call_ns = reply->receive_call_ns;
	sample->read_ns = reply->read_ns;
	if (lacks_stamps(sample))
		stamps->lacking++;
	judge(stamps, sample);
}

/* ---- the end of samples ---- */

void stamps_void(struct stamps *stamps)
{
	for (; stamps->head < stamps->tail; stamps->head++) {
		struct stamps_sample *sample = sample_at(stamps, stamps->head);

		if (sample->is_done)
			continue;
		if (!sample->is_recorded)
			stamps->targets[sample->target].counts.voided++;
		retire(stamps, sample);
	}
}

void stamps_expire(struct stamps *stamps, int64_t now_ns)
{
	while (stamps->head < stamps->tail) {
		const struct stamps_sample *sample = sample_at(stamps, stamps->head);

		if (!sample->is_done && (sample->is_answered
						 ? now_ns - sample->read_ns <= STAMPS_GRACE_NS
						 : now_ns - sample->call_ns <= stamps->timeout_ns))
			return;
		drop_oldest(stamps);
	}
}

void stamps_close(struct stamps *stamps)
{
	while (stamps->head < stamps->tail)
		drop_oldest(stamps);
}

bool stamps_slopes(const struct stamps_target *target, double *sending, double *kernel)
{
	const struct stamps_moments *moments = &target->moments;

	if (target->counts.complete < 2 || !(moments->ping_ping > 0))
		return false;
	*sending = moments->ping_sending / moments->ping_ping;
	*kernel = moments->ping_kernel / moments->ping_ping;
	return true;
}
