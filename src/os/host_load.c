/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files are small and made afresh at every reading from their start. /proc/stat is the long
 * one, but what is wanted of it is its first line.
 */
#include "os/host_load.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/load_text.h"
#include "os/system_clock.h"

#define STAT_BYTES    512u   /* the line "cpu" takes at most 215 */
#define SOFTNET_BYTES 65536u /* about 140 a processor */
#define PAIR_ATTEMPTS 8
#define PAIR_ERROR_NS (100 * NANOSECONDS_PER_MICROSECOND) /* two clocks are not read at once */

static int open_file(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

void host_load_open(struct host_load_files *files)
{
	files->stat = open_file("/proc/stat");
	files->softnet = open_file("/proc/net/softnet_stat");
	files->schedstat = open_file("/proc/self/schedstat");
}

void host_load_close(struct host_load_files *files)
{
	int *const all[] = {&files->stat, &files->softnet, &files->schedstat};

	for (size_t i = 0; i < ARRAY_LENGTH(all); i++) {
		if (*all[i] >= 0)
			(void)close(*all[i]);
		*all[i] = -1;
	}
}

/* A file from its start, up to size bytes; how many, 0 if it cannot be read. */
static size_t read_file(int descriptor, char *text, size_t size)
{
	size_t used = 0;

	while (descriptor >= 0 && used < size) {
		ssize_t more = pread(descriptor, text + used, size - used, (off_t)used);

		if (more < 0 && errno == EINTR)
			continue;
		if (more <= 0)
			break;
		used += (size_t)more;
	}
	return used;
}

/* The time that this host has slept; of a few pairs of readings the closest one counts. */
static int64_t read_asleep(void)
{
	int64_t closest_ns = INT64_MAX, asleep_ns = 0;

	for (int attempt = 0; attempt < PAIR_ATTEMPTS; attempt++) {
		int64_t before_ns = system_clock_ns(CLOCK_MONOTONIC);
		int64_t boot_ns = system_clock_ns(CLOCK_BOOTTIME);
		int64_t after_ns = system_clock_ns(CLOCK_MONOTONIC);

		if (after_ns - before_ns >= closest_ns)
			continue;
		closest_ns = after_ns - before_ns;
		asleep_ns = boot_ns - before_ns - closest_ns / 2;
	}
	return asleep_ns;
}

void host_load_read(const struct host_load_files *files, struct host_load *load)
{
	char text[SOFTNET_BYTES];
	long ticks_per_s = sysconf(_SC_CLK_TCK);
	uint64_t ticks = 0, delay_ns = 0;
	size_t length;

	memset(load, 0, sizeof(*load));
	length = read_file(files->stat, text, STAT_BYTES);
	load->has_steal = ticks_per_s > 0 && load_text_steal(text, length, &ticks);
	if (load->has_steal)
		load->steal_ns = (int64_t)ticks * (NANOSECONDS_PER_SECOND / ticks_per_s);
	length = read_file(files->softnet, text, sizeof(text));
	/* A file that fills the buffer was cut: the sum would not be one. */
	load->has_softnet_drops = length < sizeof(text) &&
				  load_text_softnet_drops(text, length, &load->softnet_drops);
	length = read_file(files->schedstat, text, sizeof(text));
	load->has_run_delay = load_text_run_delay(text, length, &delay_ns);
	load->run_delay_ns = (int64_t)delay_ns;
	load->asleep_ns = read_asleep();
}

static void set(struct maybe *maybe, bool known, double value)
{
	*maybe = (struct maybe){.known = known, .value = known ? value : 0.0};
}

void host_load_difference(const struct host_load *before, const struct host_load *after,
			  struct result_processor *processor,
			  struct result_disturbance *disturbance)
{
	int64_t asleep_ns;

	/* Steal can go back where a guest is moved to another host: then it is not known. */
	set(&processor->steal_s,
	    before->has_steal && after->has_steal && after->steal_ns >= before->steal_ns,
	    (double)(after->steal_ns - before->steal_ns) / 1e9);
	set(&processor->softnet_drops,
	    before->has_softnet_drops && after->has_softnet_drops &&
		    after->softnet_drops >= before->softnet_drops,
	    (double)(after->softnet_drops - before->softnet_drops));
	set(&disturbance->run_delay_s, before->has_run_delay && after->has_run_delay,
	    (double)(after->run_delay_ns - before->run_delay_ns) / 1e9);
	asleep_ns = after->asleep_ns - before->asleep_ns;
	set(&disturbance->suspended_ns, true, asleep_ns < PAIR_ERROR_NS ? 0.0 : (double)asleep_ns);
}
