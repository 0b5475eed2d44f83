/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fping-bench. The order of the steps is the security of the program: sockets first, then no
 * privilege, then the caller's arguments, files and names. Real root's arguments are its own, so
 * for root the sockets come after them (and carry the mark that only root may ask for); the
 * privileges go before the first name is asked and the first packet is sent either way.
 */
#include "apps/probe/probe.h"

static int run(struct probe *probe, int argc, char *argv[])
{
	int (*const steps[])(struct probe *) = {
		probe_read_files,   /* --json=FILE, --targets; the command line makes sense */
		probe_check_rules,  /* who may do what */
		probe_give_up_root, /* nothing is privileged from here on, whoever started it */
		probe_find_targets, /* names to addresses, addresses to ways */
		probe_prepare_series, /* a path to the sizes that are worth trying */
		probe_open,         /* clock, transports, engine */
		probe_measure,      /* the run itself */
		probe_report,       /* text, JSON, exit status */
	};
	int status = probe_secure(probe);

	if (status == PROBE_CONTINUE)
		status = probe_read_options(probe, argc, argv);
	for (size_t i = 0; i < ARRAY_LENGTH(steps) && status == PROBE_CONTINUE; i++)
		status = steps[i](probe);
	return status;
}

int main(int argc, char *argv[])
{
	static struct probe probe; /* too large for a small stack */
	int status = run(&probe, argc, argv);

	probe_close(&probe);
	return status;
}
