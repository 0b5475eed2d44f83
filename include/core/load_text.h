/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Readers of the kernel's texts about load: /proc/stat, /proc/net/softnet_stat and
 * /proc/self/schedstat. Bytes and a length in, numbers out; text that is not as documented gives
 * nothing, never a part of a number.
 */
#ifndef FPING_BENCH_CORE_LOAD_TEXT_H
#define FPING_BENCH_CORE_LOAD_TEXT_H

#include "base/base.h"

/*
 * /proc/stat (proc(5)): steal of the line "cpu", the sum over all processors, in clock ticks. False
 * where the line is missing or, as before Linux 2.6.11, has no such field.
 */
bool load_text_steal(const char *text, size_t length, uint64_t *ticks) MUST_CHECK;

/*
 * /proc/net/softnet_stat (net/core/net-procfs.c, softnet_seq_show): a line of hexadecimal numbers
 * for each processor, of which the second counts the packets dropped because the backlog was full.
 * Gives their sum. False if a line cannot be read or there is none.
 */
bool load_text_softnet_drops(const char *text, size_t length, uint64_t *drops) MUST_CHECK;

/*
 * /proc/self/schedstat (Documentation/scheduler/sched-stats.rst): the second of its three numbers,
 * the ns that this thread was ready to run and did not.
 */
bool load_text_run_delay(const char *text, size_t length, uint64_t *delay_ns) MUST_CHECK;

#endif
