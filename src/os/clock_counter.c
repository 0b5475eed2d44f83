/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * x86 has the time-stamp counter, arm64 the virtual counter of its generic timer. Everything else
 * has no counter that a program can read, or none that is worth it: the kernel's clock is built on
 * the best one there is.
 */
#include "os/clock_counter.h"
#include "os/system_clock.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <time.h>

#if defined(__x86_64__) || defined(__i386__)
#define HAS_TSC 1
#include <cpuid.h>
#include <x86intrin.h>
#elif defined(__aarch64__)
#define HAS_CNTVCT 1
#endif

#define COMPARE_ROUNDS 2000u
#define COMPARE_LOOK   64u /* spins between two looks at the time */
#define COMPARE_ALL_NS (20 * NANOSECONDS_PER_MILLISECOND)
#define COMPARE_ONE_NS (4 * NANOSECONDS_PER_MILLISECOND)

/* ---- reading ---- */

#if defined(HAS_TSC)

/* Leaf and bit of "invariant TSC" and of RDTSCP: Intel SDM volume 2, CPUID; AMD APM volume 3. */
#define LEAF_FEATURES 1u
#define BIT_TSC	      4
#define LEAF_EXTENDED 0x80000001u
#define BIT_RDTSCP    27
#define LEAF_POWER    0x80000007u
#define BIT_INVARIANT 8

static bool has_bit(unsigned leaf, int bit)
{
	unsigned eax, ebx, ecx, edx;

	if (__get_cpuid(leaf, &eax, &ebx, &ecx, &edx) == 0)
		return false;
	return (edx >> bit & 1) != 0;
}

int clock_counter_find(struct clock_counter *counter, struct error *error)
{
	int mode = PR_TSC_ENABLE;

	if (!has_bit(LEAF_FEATURES, BIT_TSC))
		return error_set(error, ERROR_UNSUPPORTED,
				 "this processor has no time-stamp counter");
	if (prctl(PR_GET_TSC, &mode, 0UL, 0UL, 0UL) == 0 && mode == PR_TSC_SIGSEGV)
		return error_set(error, ERROR_UNSUPPORTED,
				 "this process is forbidden to read the time-stamp counter "
				 "(PR_TSC_SIGSEGV)");
	counter->has_ordered_read = has_bit(LEAF_EXTENDED, BIT_RDTSCP);
	counter->is_invariant = has_bit(LEAF_POWER, BIT_INVARIANT);
	return 0;
}

uint64_t clock_counter_read(const struct clock_counter *counter)
{
	uint64_t count;

	/* RDTSCP waits for what is before it, RDTSC does not; neither holds up what follows. */
	if (counter->has_ordered_read) {
		unsigned processor;

		count = __rdtscp(&processor);
	} else {
		_mm_lfence();
		count = __rdtsc();
	}
	_mm_lfence();
	return count;
}

#elif defined(HAS_CNTVCT)

int clock_counter_find(struct clock_counter *counter, struct error *error)
{
	/* Linux lets programs read it (CNTKCTL_EL1.EL0VCTEN); its rate is fixed by
	 * the architecture (Arm ARM, D12: the system counter). */
	(void)error;
	*counter = (struct clock_counter){.has_ordered_read = false, .is_invariant = true};
	return 0;
}

uint64_t clock_counter_read(const struct clock_counter *counter)
{
	uint64_t count;

	(void)counter;
	__asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(count) : : "memory");
	return count;
}

#else

int clock_counter_find(struct clock_counter *counter, struct error *error)
{
	*counter = (struct clock_counter){0};
	return error_set(error, ERROR_UNSUPPORTED,
			 "this kind of processor has no counter that a program can read");
}

uint64_t clock_counter_read(const struct clock_counter *counter)
{
	(void)counter;
	return 0;
}

#endif

/* ---- comparing processors ---- */

/* What two threads hand to each other; whose turn it is decides who may touch `last`. */
struct exchange {
	const struct clock_counter *counter;
	_Atomic unsigned turn; /* 0: ours, 1: the other's */
	_Atomic bool is_over;
	uint64_t last;
	bool warps;
};

/* Our turn: whoever read before us must have read less. False when the time is up. */
static bool take_turn(struct exchange *exchange, unsigned mine, int64_t until_ns)
{
	uint64_t count;

	for (unsigned spins = 1;
	     atomic_load_explicit(&exchange->turn, memory_order_acquire) != mine; spins++) {
		if (atomic_load_explicit(&exchange->is_over, memory_order_relaxed))
			return false;
		if (spins % COMPARE_LOOK == 0 && system_clock_ns(CLOCK_MONOTONIC) > until_ns)
			return false;
	}
	count = clock_counter_read(exchange->counter);
	exchange->warps = exchange->warps || count < exchange->last;
	exchange->last = count;
	/* Pairs with the acquire of the other one's wait: it sees `last` and `warps`. */
	atomic_store_explicit(&exchange->turn, 1 - mine, memory_order_release);
	return true;
}

static void *answer(void *context)
{
	struct exchange *exchange = context;
	int64_t until_ns = system_clock_ns(CLOCK_MONOTONIC) + 2 * COMPARE_ONE_NS;

	while (take_turn(exchange, 1, until_ns))
		continue;
	return NULL;
}

static enum clock_counter_agreement compare_with(const struct clock_counter *counter, int processor)
{
	struct exchange exchange = {.counter = counter};
	int64_t until_ns = system_clock_ns(CLOCK_MONOTONIC) + COMPARE_ONE_NS;
	unsigned rounds = 0;
	pthread_attr_t attributes;
	pthread_t thread;
	cpu_set_t other;
	int status;

	CPU_ZERO(&other);
	CPU_SET((size_t)processor, &other);
	if (pthread_attr_init(&attributes) != 0)
		return CLOCK_COUNTER_UNTESTED;
	status = pthread_attr_setaffinity_np(&attributes, sizeof(other), &other);
	if (status == 0)
		status = pthread_create(&thread, &attributes, answer, &exchange);
	(void)pthread_attr_destroy(&attributes);
	if (status != 0)
		return CLOCK_COUNTER_UNTESTED;
	while (rounds < COMPARE_ROUNDS && take_turn(&exchange, 0, until_ns))
		rounds++;
	atomic_store_explicit(&exchange.is_over, true, memory_order_relaxed);
	(void)pthread_join(thread, NULL);
	if (exchange.warps)
		return CLOCK_COUNTER_WARPS;
	return rounds < 2 ? CLOCK_COUNTER_UNTESTED : CLOCK_COUNTER_AGREES;
}

enum clock_counter_agreement clock_counter_compare(const struct clock_counter *counter)
{
	int64_t until_ns = system_clock_ns(CLOCK_MONOTONIC) + COMPARE_ALL_NS;
	enum clock_counter_agreement verdict = CLOCK_COUNTER_AGREES;
	int here = sched_getcpu();
	cpu_set_t allowed, own;

	if (here < 0 || sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
		return CLOCK_COUNTER_UNTESTED;
	if (CPU_COUNT(&allowed) == 1)
		return CLOCK_COUNTER_AGREES;
	CPU_ZERO(&own);
	CPU_SET((size_t)here, &own);
	if (sched_setaffinity(0, sizeof(own), &own) != 0)
		return CLOCK_COUNTER_UNTESTED;
	for (int processor = 0; processor < CPU_SETSIZE && verdict != CLOCK_COUNTER_WARPS;
	     processor++) {
		enum clock_counter_agreement one = CLOCK_COUNTER_UNTESTED;

		if (processor == here || !CPU_ISSET((size_t)processor, &allowed))
			continue;
		if (system_clock_ns(CLOCK_MONOTONIC) < until_ns)
			one = compare_with(counter, processor);
		if (one != CLOCK_COUNTER_AGREES)
			verdict = one;
	}
	(void)sched_setaffinity(0, sizeof(allowed), &allowed);
	return verdict;
}

int clock_counter_stay(cpu_set_t *before)
{
	int here = sched_getcpu();
	cpu_set_t own;

	if (here < 0 || sched_getaffinity(0, sizeof(*before), before) != 0)
		return -errno;
	CPU_ZERO(&own);
	CPU_SET((size_t)here, &own);
	return sched_setaffinity(0, sizeof(own), &own) != 0 ? -errno : 0;
}

void clock_counter_leave(const cpu_set_t *before)
{
	(void)sched_setaffinity(0, sizeof(*before), before);
}
