/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract tests hold every row of a table against what its header promises, so that a new row is
 * tested by being there. A file has one function that loops over its table; a test is what
 * happens between contract_begin and contract_end, and prints one line: `ok contract/NAME`,
 * `not ok contract/NAME: what first went wrong` or `skip contract/NAME: reason`.
 */
#ifndef FPING_BENCH_TESTS_CONTRACT_CONTRACT_H
#define FPING_BENCH_TESTS_CONTRACT_CONTRACT_H

#include "base/base.h"

/* Starts the test "TABLE/ROW/WHAT". */
void contract_begin(const char *table, const char *row, const char *what);

/* Records the first failure; returns passed. */
bool contract_check(bool passed, const char *format, ...) PRINTF_LIKE(2, 3);

/* The test cannot be done here; failures before it still count. */
void contract_skip(const char *format, ...) PRINTF_LIKE(1, 2);

void contract_end(void);

/* Name and summary of a row: present, one line, the name without blanks. */
void contract_check_texts(const char *name, const char *summary);

void contract_clocks(void);
void contract_waiter(void);
void contract_transports(void);
void contract_stamps(void);
void contract_stamps_elsewhere(void);

#endif
