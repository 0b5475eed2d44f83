/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The steps before a packet: rights, command line, files, rules. What must never fail here is
 * --help: whoever cannot open a socket needs it most. So a failure about sockets is kept until
 * something is to be sent, while a right that cannot be given up ends the program at once.
 */
#include "apps/probe/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/probe/shown.h"
#include "apps/probe/size_text.h"
#include "os/signals.h"
#include "os/socket_options.h"

int probe_secure(struct probe *probe)
{
	struct error error;
	int status;

	error_clear(&probe->rights_error);
	error_clear(&error);
	status = privilege_begin(&probe->privilege, &probe->rights_error);
	signals_reset();
	if (status == 0 && probe->privilege.is_root)
		return PROBE_CONTINUE;
	/* Without sockets, whatever the reason: what there is must be dropped all the same. */
	if (status == 0 &&
	    privilege_open_sockets(&probe->privilege, PRIVILEGE_ALL, NULL,
				   &probe->rights_error) < 0)
		privilege_end(&probe->privilege);
	if (privilege_drop(&probe->privilege, &error) < 0) {
		console_say("%s", error.text);
		return PROBE_UNUSABLE;
	}
	return PROBE_CONTINUE;
}

static int print_version(void)
{
	printf("fping-bench %s (build %s)\n", FPING_BENCH_VERSION, FPING_BENCH_BUILD);
	return fflush(stdout) == 0 ? PROBE_ANSWERED : PROBE_BROKEN;
}

static int print_help(void)
{
	return options_help(stdout) == 0 && fflush(stdout) == 0 ? PROBE_ANSWERED : PROBE_BROKEN;
}

/* The sockets that need a right, by what was asked for. */
static unsigned wanted_sockets(const struct configuration *configuration)
{
	unsigned wanted = PRIVILEGE_ECHO;

	if (configuration_makes_fragments(configuration))
		wanted |= PRIVILEGE_FRAGMENTS;
	if (configuration->capture_fragments)
		wanted |= PRIVILEGE_BIT(PRIVILEGE_CAPTURE);
	return wanted;
}

int probe_read_options(struct probe *probe, int argc, char *argv[])
{
	struct configuration *configuration = &probe->options.configuration;
	struct error error;
	int status;

	configuration_defaults(configuration);
	probe->argument_count = argc;
	probe->arguments = argv;
	if (argc < 1)
		return probe_fail(probe, PROBE_UNUSABLE, "started without even its own name");
	probe->argument_hosts = calloc((size_t)argc, sizeof(*probe->argument_hosts));
	if (probe->argument_hosts == NULL)
		return probe_fail(probe, PROBE_UNUSABLE, "no memory for the command line");
	status = options_parse(&probe->options, argc, argv, probe->argument_hosts, &error);
	if (status < 0)
		return probe_fail(probe, PROBE_UNUSABLE, "%s", error.text);
	if (probe->options.action == OPTION_ACTION_HELP)
		return print_help();
	if (probe->options.action == OPTION_ACTION_VERSION)
		return print_version();
	/* What was opened before anybody could ask for it. */
	if (probe->privilege.dropped)
		privilege_keep_sockets(&probe->privilege, wanted_sockets(configuration));
	return PROBE_CONTINUE;
}

static int open_json_file(struct probe *probe)
{
	const char *path = probe_configuration(probe)->json_file;
	char buffer[SHOWN_LENGTH];
	struct error error;

	if (path == NULL)
		return PROBE_CONTINUE;
	/* Root gives up its right to the directory before the file gets its name. */
	if (output_file_open(&probe->file, path, probe->privilege.is_root, &error) < 0) {
		console_say("--json=%s: %s", shown(path, buffer), error.text);
		return PROBE_UNUSABLE;
	}
	probe->has_file = true;
	return PROBE_CONTINUE;
}

static int read_hosts(struct probe *probe)
{
	struct configuration *configuration = &probe->options.configuration;
	struct error error;
	int status = hosts_open(&probe->hosts, configuration->targets, configuration->target_count,
				&error);

	if (status == 0 && configuration->targets_file != NULL)
		status = hosts_add_file(&probe->hosts, configuration->targets_file, &error);
	configuration->targets = probe->hosts.names;
	configuration->target_count = probe->hosts.count;
	if (status < 0)
		return probe_fail(probe, PROBE_UNUSABLE, "%s", error.text);
	if (configuration->target_count == 0)
		return probe_fail(probe, PROBE_UNUSABLE,
				  configuration->targets_file == NULL
					  ? "no host given: fping-bench [options] host... (--help "
					    "lists the options)"
					  : "no host given: the file of --targets names none");
	return PROBE_CONTINUE;
}

/* Settings that contradict the simulated transport, or need it. */
static const char *misfit(const struct configuration *configuration, bool is_simulated)
{
	if (configuration->has_simulation && !is_simulated)
		return "--sim describes a simulated network: add --transport sim";
	if (is_simulated && configuration->source_count > 0)
		return "-I: the simulated network has no interfaces: leave it out";
	if (is_simulated && configuration->capture_fragments)
		return "--capture-fragments: the simulated network has no interface: leave it out";
	if (is_simulated && strcmp(configuration->clock, "auto") != 0)
		return "--clock: the simulated network has a clock of its own: leave it out";
	if (is_simulated && (configuration->ttl != 0 || configuration->traffic_class >= 0 ||
			     configuration->flow_label >= 0 || configuration->suppress_loopback ||
			     configuration->send_buffer_bytes != 0 ||
			     configuration->allow_broadcast))
		return "-t, -Q, -F, -L, -S and -b mean nothing to the simulated network: leave "
		       "them out";
	if (configuration->has_mark &&
	    (is_simulated || strcmp(configuration->transport, "ping") == 0))
		return "-m marks the packets of raw sockets: use it with --transport raw";
	return NULL;
}

/*
 * The largest request that a series may come to, by which the buffers are sized before its path is
 * known.
 */
static void size_series(struct configuration *configuration)
{
	struct size_list list;
	struct error error;

	if (configuration->sweep_sizes == NULL ||
	    size_text_parse(&list, "--sweep-size", configuration->sweep_sizes, &error) < 0 ||
	    list.pieces > 0)
		return;
	configuration->boundary_limit = configuration->has_size ? configuration->payload_bytes : 0;
	configuration->payload_bytes = size_list_largest(
		&list, configuration->family == 6 ? 6 : 4, configuration->boundary_limit);
}

int probe_read_files(struct probe *probe)
{
	const struct configuration *configuration = probe_configuration(probe);
	const struct transport_row *row = transport_find(configuration->transport);
	const char *wrong;
	struct error error;
	int status;

	probe->is_simulated = row != NULL && (row->flags(4) & TRANSPORT_SIMULATED) != 0;
	status = open_json_file(probe);
	if (status == PROBE_CONTINUE)
		status = read_hosts(probe);
	if (status != PROBE_CONTINUE)
		return status;
	size_series(&probe->options.configuration);
	if (configuration_validate(configuration, &error) < 0)
		return probe_fail(probe, PROBE_UNUSABLE, "%s", error.text);
	wrong = misfit(configuration, probe->is_simulated);
	if (wrong != NULL)
		return probe_fail(probe, PROBE_UNUSABLE, "%s", wrong);
	return PROBE_CONTINUE;
}

int probe_check_rules(struct probe *probe)
{
	uint32_t count = configuration_refusals(probe_configuration(probe),
						probe->privilege.is_root, probe->refusals);

	if (count == 0)
		return PROBE_CONTINUE;
	for (uint32_t i = 0; i < count; i++)
		console_say("refused: %s", probe->refusals[i].text);
	probe->result.refusals = probe->refusals;
	probe->result.refusal_count = count;
	return probe_write(probe, PROBE_REFUSED, false);
}

/* What real root could not do before it had read its arguments. */
static int drop_root(struct probe *probe, struct error *error)
{
	const struct configuration *configuration = probe_configuration(probe);
	const uint32_t *mark = configuration->has_mark ? &configuration->mark : NULL;
	int status = 0;

	if (probe->privilege.dropped)
		return 0;
	probe->privilege.receive_bytes = socket_options_buffer_bytes(
		configuration, configuration->payload_bytes + 8, probe_outstanding(probe));
	if (probe->rights_error.code == 0 && !probe->is_simulated)
		status = privilege_open_sockets(&probe->privilege, wanted_sockets(configuration),
						mark, &probe->rights_error);
	if (status < 0 && probe->rights_error.code == 0)
		probe->rights_error.code = -status;
	return privilege_drop(&probe->privilege, error);
}

int probe_give_up_root(struct probe *probe)
{
	struct error error;

	if (drop_root(probe, &error) < 0)
		return probe_fail(probe, PROBE_UNUSABLE, "%s", error.text);
	if (probe->rights_error.code != 0 && !probe->is_simulated)
		return probe_fail(probe, PROBE_UNUSABLE, "%s", probe->rights_error.text);
	if (probe->privilege.note[0] != '\0' && probe_configuration(probe)->verbose)
		console_say("note: %s", probe->privilege.note);
	if (signals_install(&error) < 0)
		return probe_fail(probe, PROBE_UNUSABLE, "%s", error.text);
	return PROBE_CONTINUE;
}
