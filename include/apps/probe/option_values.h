/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The setters behind the option rows that take a value, or that are more than a switch. Each
 * takes the whole value or refuses it with a sentence that starts with `what` (the option as it
 * was typed) and says which values would do. See struct option_row for the contract.
 */
#ifndef FPING_BENCH_APPS_PROBE_OPTION_VALUES_H
#define FPING_BENCH_APPS_PROBE_OPTION_VALUES_H

#include "base/error.h"
#include "core/configuration.h"

#define OPTION_SETTER(name) \
	MUST_CHECK int option_set_##name(struct configuration *configuration, const char *what, \
					 const char *value, struct error *error)

/* pace */
OPTION_SETTER(adaptive);
OPTION_SETTER(count);
OPTION_SETTER(deadline);
OPTION_SETTER(depth);
OPTION_SETTER(interval);
OPTION_SETTER(preload);
OPTION_SETTER(rate);
OPTION_SETTER(timeout);
OPTION_SETTER(warmup);

/* series */
OPTION_SETTER(sweep_size);
/* packet */
OPTION_SETTER(flow_label);
OPTION_SETTER(fragment_order);
OPTION_SETTER(fragment_size);
OPTION_SETTER(identifier);
OPTION_SETTER(path_mtu);
OPTION_SETTER(pattern);
OPTION_SETTER(payload);
OPTION_SETTER(size);
OPTION_SETTER(traffic_class);
OPTION_SETTER(ttl);

/* way, measurement, output */
OPTION_SETTER(clock);
OPTION_SETTER(family_4);
OPTION_SETTER(family_6);
OPTION_SETTER(json);
OPTION_SETTER(mark);
OPTION_SETTER(send_buffer);
OPTION_SETTER(simulation);
OPTION_SETTER(source);
OPTION_SETTER(stamps);
OPTION_SETTER(targets_file);
OPTION_SETTER(transport);

#endif
