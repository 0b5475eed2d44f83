/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the socket options share. Nobody else includes this.
 */
#ifndef FPING_BENCH_OS_SOCKET_OPTIONS_INTERNAL_H
#define FPING_BENCH_OS_SOCKET_OPTIONS_INTERNAL_H

#include "os/socket_filter.h"
#include "os/socket_options.h"

/* One row of a table of plain on/off and number options. */
struct socket_option {
	bool wanted;
	int level, name, value;
	const char *what;
};

/* Returns 0 or -errno. */
int socket_options_set(int descriptor, int level, int option, int value);

/* The error of a failed option: "cannot set WHAT". */
int socket_options_failed(struct error *error, int result, const char *what);

/* Sets those rows that are wanted. */
int socket_options_set_all(int descriptor, const struct socket_option *options, size_t count,
			   struct error *error);

/* Puts the filter on, in place of the one that was there. */
int socket_options_attach(int descriptor, struct socket_filter *filter, struct error *error);

/* What stands in the headers, and the path MTU mode. */
int socket_options_set_sending4(int descriptor, const struct transport_settings *settings,
				struct error *error);
int socket_options_set_sending6(int descriptor, const struct transport_settings *settings,
				struct error *error);

#endif
