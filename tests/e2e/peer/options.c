/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command line of the peer, see README.md. Scripts are read here too: -e texts and files may
 * be given in any number and are one script in the order given.
 */
#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	OPTION_SPIN = 256,
	OPTION_QUEUE,
	OPTION_CHECK,
	OPTION_DIE,
	OPTION_REALTIME,
	OPTION_READY,
	OPTION_UP
};

static const struct option long_options[] = {
	{"execute", required_argument, NULL, 'e'},
	{"device", required_argument, NULL, 'd'},
	{"ipv4", required_argument, NULL, '4'},
	{"ipv6", required_argument, NULL, '6'},
	{"mtu", required_argument, NULL, 'm'},
	{"route", required_argument, NULL, 'r'},
	{"up", no_argument, NULL, OPTION_UP},
	{"txqueuelen", required_argument, NULL, OPTION_QUEUE},
	{"time", required_argument, NULL, 't'},
	{"count", required_argument, NULL, 'c'},
	{"log", required_argument, NULL, 'l'},
	{"ready", required_argument, NULL, OPTION_READY},
	{"seed", required_argument, NULL, 's'},
	{"spin", required_argument, NULL, OPTION_SPIN},
	{"check", no_argument, NULL, OPTION_CHECK},
	{"die-with-parent", no_argument, NULL, OPTION_DIE},
	{"realtime", no_argument, NULL, OPTION_REALTIME},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static const char usage[] =
	"usage: peer [options] [SCRIPT-FILE...]\n"
	"  -e, --execute TEXT     a script given here; rules parted by newlines or semicolons\n"
	"  -d, --device NAME      name of the TUN device (default: the kernel's choice)\n"
	"  -4, --ipv4 ADDR/LEN    give the device this address and bring it up\n"
	"  -6, --ipv6 ADDR/LEN    the same for IPv6, usable at once\n"
	"  -m, --mtu N            MTU of the device\n"
	"  -r, --route NET/LEN    route this through the device too (repeatable)\n"
	"      --up               bring the device up without an address\n"
	"      --txqueuelen N     packets that the kernel queues for the device\n"
	"  -t, --time T           end after T (seconds, or 500ms)\n"
	"  -c, --count N          end after N requests, when all answers are sent\n"
	"  -l, --log FILE         a line for every packet\n"
	"      --ready FILE       create FILE when the device is up\n"
	"  -s, --seed N           seed of the generator (default 1)\n"
	"      --spin T           spin for the last T before a send (default 150us)\n"
	"      --realtime         run before everything that is not: less lateness on a busy "
	"machine\n"
	"      --check            read the scripts and end\n"
	"      --die-with-parent  SIGTERM when the parent ends\n";

static int complain(const char *option, const char *value)
{
	fprintf(stderr, "peer: %s: cannot use \"%s\"\n", option, value);
	return -1;
}

static int read_script(struct script *script, const char *file, char *text)
{
	if (script_read(script, file, text) == 0)
		return 0;
	fprintf(stderr, "peer: %s\n", script->error);
	return -1;
}

static int read_text(struct script *script, const char *text)
{
	char *copy = strdup(text); /* the reader cuts it into words */
	int result = copy ? read_script(script, "-e", copy) : -1;

	free(copy);
	return result;
}

static int read_file(struct script *script, const char *name)
{
	FILE *file = fopen(name, "r");
	char *text = NULL;
	size_t room = 0;
	ssize_t length;
	int result = 0;

	if (!file) {
		perror(name);
		return -1;
	}
	length = getdelim(&text, &room, '\0', file);
	if (length > 0)
		result = read_script(script, name, text);
	free(text);
	fclose(file);
	return result;
}

static int read_address(const char *option, const char *value, int family, struct address *address,
			unsigned int *prefix)
{
	if (!address_parse_prefix(value, address, prefix) || address->family != family)
		return complain(option, value);
	return 0;
}

static int read_route(struct device_settings *device, const char *value)
{
	int at = device->routes;

	if (at == DEVICE_ROUTES_MAX ||
	    !address_parse_prefix(value, &device->route[at].net, &device->route[at].prefix))
		return complain("--route", value);
	device->routes++;
	return 0;
}

static int read_number(const char *option, const char *value, int64_t low, int64_t high,
		       int64_t *number)
{
	return text_number(value, low, high, number) ? 0 : complain(option, value);
}

/* Here a bare number of seconds is usual: -t 5 */
static int read_time(const char *option, const char *value, int64_t *ns)
{
	int64_t seconds;

	if (text_number(value, 0, 1000000, &seconds)) {
		*ns = seconds * 1000000000;
		return 0;
	}
	return text_time(value, ns) ? 0 : complain(option, value);
}

static int read_device_option(struct device_settings *device, int letter, const char *value)
{
	int64_t number = 0;

	switch (letter) {
	case 'd':
		if (*value == '\0' || strlen(value) >= sizeof(device->name))
			return complain("--device", value);
		strcpy(device->name, value);
		return 0;
	case '4':
		device->up = true;
		return read_address("--ipv4", value, 4, &device->address4, &device->prefix4);
	case '6':
		device->up = true;
		return read_address("--ipv6", value, 6, &device->address6, &device->prefix6);
	case 'm':
		if (read_number("--mtu", value, 68, 65535, &number) < 0)
			return -1;
		device->mtu = (int)number;
		return 0;
	case 'r':
		return read_route(device, value);
	case OPTION_QUEUE:
		if (read_number("--txqueuelen", value, 1, 1000000, &number) < 0)
			return -1;
		device->transmit_queue = (int)number;
		return 0;
	default:
		device->up = true;
		return 0;
	}
}

static int read_option(struct options *options, struct script *script, int letter,
		       const char *value)
{
	switch (letter) {
	case 'e':
		return read_text(script, value);
	case 't':
		return read_time("--time", value, &options->run_ns);
	case 'c':
		return read_number("--count", value, 1, INT64_MAX, &options->count);
	case 'l':
		options->log = value;
		return 0;
	case OPTION_READY:
		options->ready = value;
		return 0;
	case 's':
		options->seed_given = true;
		return read_number("--seed", value, 0, INT64_MAX, &options->seed);
	case OPTION_SPIN:
		return read_time("--spin", value, &options->spin_ns);
	case OPTION_CHECK:
		options->check_only = true;
		return 0;
	case OPTION_REALTIME:
		options->realtime = true;
		return 0;
	case OPTION_DIE:
		options->die_with_parent = true;
		return 0;
	case 'h':
		fputs(usage, stdout);
		exit(0);
	case '?':
		fputs("peer: see --help\n", stderr);
		return -1;
	default:
		return read_device_option(&options->device, letter, value);
	}
}

int options_read(struct options *options, struct script *script, int argc, char **argv)
{
	int letter;

	options->spin_ns = 150000; /* a sleep on an idle virtual machine ends some 100 us late */
	while ((letter = getopt_long(argc, argv, "e:d:4:6:m:r:t:c:l:s:h", long_options, NULL)) !=
	       -1) {
		if (read_option(options, script, letter, optarg) < 0)
			return -1;
	}
	for (; optind < argc; optind++) {
		if (read_file(script, argv[optind]) < 0)
			return -1;
	}
	return 0;
}
