/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The counters of /proc/net/snmp and /proc/net/snmp6 as names and numbers. The parser takes
 * text that was read elsewhere.
 */
#ifndef FPING_BENCH_CORE_KERNEL_COUNTERS_H
#define FPING_BENCH_CORE_KERNEL_COUNTERS_H

#include "base/base.h"

#define KERNEL_COUNTERS_MAX 512u
#define KERNEL_COUNTER_NAME 64u

struct kernel_counter {
	char name[KERNEL_COUNTER_NAME]; /* "Ip.FragCreates", "Ip6.FragCreates", "Icmp.InErrors" */
	uint64_t value;
};

struct kernel_counters {
	uint32_t count;
	struct kernel_counter counters[KERNEL_COUNTERS_MAX];
};

/*
 * Adds the counters of a text in the form of /proc/net/snmp (header line and value line per
 * protocol) for the protocols Ip, Icmp, IcmpMsg. Lines that do not fit together are left out.
 */
void kernel_counters_parse_snmp(struct kernel_counters *counters, const char *text, size_t length);

/*
 * Adds those of /proc/net/snmp6 (name and value per line): "Ip6FragOKs" becomes "Ip6.FragOKs",
 * "Icmp6InErrors" "Icmp6.InErrors". Others are left out.
 */
void kernel_counters_parse_snmp6(struct kernel_counters *counters, const char *text, size_t length);

/* The value of a counter: false when there is none of that name. */
bool kernel_counters_find(const struct kernel_counters *counters, const char *name,
			  uint64_t *value);

#endif
