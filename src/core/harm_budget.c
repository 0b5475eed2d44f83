/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A ring of seconds. A loss is found by its timeout, after the fragments arrived, so what is let go
 * kept_ns after it has been gone for a while: the estimate errs on the careful side.
 */
#include "core/harm_budget.h"

#include <string.h>

static int64_t second_of(int64_t ns)
{
	return ns / NANOSECONDS_PER_SECOND - (ns % NANOSECONDS_PER_SECOND < 0);
}

static uint32_t cell_of(int64_t second)
{
	return (uint32_t)((uint64_t)second % HARM_BUDGET_CELLS);
}

void harm_budget_init(struct harm_budget *budget, int64_t kept_ns)
{
	memset(budget, 0, sizeof(*budget));
	budget->kept_ns = kept_ns;
	budget->newest = INT64_MIN;
}

/* Whether something that was lost in this second can still be held at now_ns. */
static bool is_kept(const struct harm_budget *budget, int64_t second, int64_t now_ns)
{
	return second >= second_of(now_ns - budget->kept_ns);
}

uint64_t harm_budget_add(struct harm_budget *budget, int64_t now_ns, uint64_t bytes)
{
	int64_t second = second_of(now_ns);
	uint64_t held;

	if (budget->newest == INT64_MIN || second - budget->newest >= HARM_BUDGET_CELLS) {
		memset(budget->cells, 0, sizeof(budget->cells));
		budget->newest = second;
	}
	while (budget->newest < second)
		budget->cells[cell_of(++budget->newest)] = 0;
	budget->cells[cell_of(budget->newest)] += bytes;
	held = harm_budget_held(budget, now_ns);
	budget->most = max_u64(budget->most, held);
	return held;
}

uint64_t harm_budget_held(const struct harm_budget *budget, int64_t now_ns)
{
	uint64_t held = 0;

	if (budget->newest == INT64_MIN)
		return 0;
	for (int64_t back = 0; back < HARM_BUDGET_CELLS; back++)
		if (is_kept(budget, budget->newest - back, now_ns))
			held += budget->cells[cell_of(budget->newest - back)];
	return held;
}

int64_t harm_budget_free_at(const struct harm_budget *budget, int64_t now_ns, uint64_t bytes)
{
	uint64_t held = harm_budget_held(budget, now_ns);

	if (held <= bytes)
		return now_ns;
	for (int64_t back = HARM_BUDGET_CELLS - 1; back >= 0; back--) {
		int64_t second = budget->newest - back;

		if (!is_kept(budget, second, now_ns))
			continue;
		held -= budget->cells[cell_of(second)];
		if (held <= bytes)
			return (second + 1) * NANOSECONDS_PER_SECOND + budget->kept_ns;
	}
	return now_ns;
}
