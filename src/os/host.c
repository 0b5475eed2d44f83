/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Facts about this host from /proc and /sys. The counter files are opened before anything is given
 * up and then read by pread, since later there may be no right and no way to open a file; every
 * reading of such a file from its start is made afresh by the kernel.
 */
#include "os/host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#define COUNTER_TEXT_BYTES 32768u /* both files together take some 6,000 bytes */
#define CONFIG_TEXT_BYTES 32768u  /* of a kernel's configuration; what is wanted stands early */

static int open_file(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

/* Reads a file from its start, up to size bytes; how many, or -errno. */
static ssize_t read_all(int descriptor, char *text, size_t size)
{
	size_t used = 0;

	while (used < size) {
		ssize_t more = pread(descriptor, text + used, size - used, (off_t)used);

		if (more < 0 && errno == EINTR)
			continue;
		if (more < 0)
			return -errno;
		if (more == 0)
			break;
		used += (size_t)more;
	}
	return (ssize_t)used;
}

/* ---- the network's counters ---- */

void host_counters_open(struct host_counters *files)
{
	files->snmp = open_file("/proc/net/snmp");
	files->snmp6 = open_file("/proc/net/snmp6");
}

int host_counters_read(const struct host_counters *files, struct kernel_counters *counters)
{
	char text[COUNTER_TEXT_BYTES];
	ssize_t length;

	counters->count = 0;
	length = files->snmp < 0 ? -EBADF : read_all(files->snmp, text, sizeof(text));
	if (length > 0)
		kernel_counters_parse_snmp(counters, text, (size_t)length);
	length = files->snmp6 < 0 ? -EBADF : read_all(files->snmp6, text, sizeof(text));
	if (length > 0)
		kernel_counters_parse_snmp6(counters, text, (size_t)length);
	return counters->count > 0 ? 0 : -ERROR_NOT_FOUND;
}

void host_counters_close(struct host_counters *files)
{
	if (files->snmp >= 0)
		(void)close(files->snmp);
	if (files->snmp6 >= 0)
		(void)close(files->snmp6);
	files->snmp = -1;
	files->snmp6 = -1;
}

/* ---- the environment ---- */

/* Copies up to the end of the line, without blanks at either end and without control characters. */
static void copy_line(const char *from, char *to, size_t size)
{
	size_t used = 0;

	from += strspn(from, " \t");
	for (; *from != '\0' && *from != '\n' && used + 1 < size; from++) {
		to[used] = *from;
		if (*from < ' ' || *from == '\x7f')
			to[used] = ' ';
		used++;
	}
	while (used > 0 && to[used - 1] == ' ')
		used--;
	to[used] = '\0';
}

/* The beginning of a file as text, "" if it cannot be read. */
static void read_text(const char *path, char *text, size_t size)
{
	int descriptor = open_file(path);
	ssize_t length = -1;

	if (descriptor >= 0) {
		length = read_all(descriptor, text, size - 1);
		(void)close(descriptor);
	}
	text[length > 0 ? length : 0] = '\0';
}

static void read_cpu(char *name, size_t size)
{
	/* The word differs between architectures; where there is none the name stays unknown. */
	static const char *const words[] = {"\nmodel name", "\ncpu model", "\ncpu\t", "\nModel"};
	char text[8192];

	text[0] = '\n';
	read_text("/proc/cpuinfo", text + 1, sizeof(text) - 1);
	for (size_t i = 0; i < ARRAY_LENGTH(words); i++) {
		const char *line = strstr(text, words[i]);
		const char *colon = line == NULL ? NULL : strchr(line, ':');

		if (colon == NULL)
			continue;
		copy_line(colon + 1, name, size);
		return;
	}
}

void host_environment(struct environment *environment)
{
	struct utsname names;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	char text[256];

	memset(environment, 0, sizeof(*environment));
	if (uname(&names) == 0) {
		(void)snprintf(environment->kernel, sizeof(environment->kernel), "%.40s %.80s",
			       names.sysname, names.release);
		(void)snprintf(environment->machine, sizeof(environment->machine), "%.63s",
			       names.machine);
	}
	environment->cpus = cpus > 0 ? (uint32_t)cpus : 0;
	read_cpu(environment->cpu, sizeof(environment->cpu));
	read_text("/sys/devices/system/clocksource/clocksource0/current_clocksource", text,
		  sizeof(text));
	copy_line(text, environment->clocksource, sizeof(environment->clocksource));
	read_text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", text, sizeof(text));
	copy_line(text, environment->governor, sizeof(environment->governor));
}

/* ---- processor time ---- */

static int64_t to_ns(const struct timeval *time)
{
	return (int64_t)time->tv_sec * NANOSECONDS_PER_SECOND +
	       (int64_t)time->tv_usec * NANOSECONDS_PER_MICROSECOND;
}

void host_processor_time(int64_t *user_ns, int64_t *system_ns)
{
	struct rusage usage;

	memset(&usage, 0, sizeof(usage));
	(void)getrusage(RUSAGE_SELF, &usage);
	*user_ns = to_ns(&usage.ru_utime);
	*system_ns = to_ns(&usage.ru_stime);
}

/*
 * Whether interrupts are booked apart from the process that they come upon: 1 yes, 0 no, -1
 * unknown. Only the kernel's configuration says it, and only where it lies beside the kernel: the
 * copy that a kernel may carry in itself is compressed.
 */
static int books_interrupts_apart(void)
{
	char text[CONFIG_TEXT_BYTES];
	struct utsname names;
	char path[128];

	if (uname(&names) != 0)
		return -1;
	for (int place = 0; place < 2; place++) {
		if (place == 0)
			(void)snprintf(path, sizeof(path), "/boot/config-%.80s", names.release);
		else
			(void)snprintf(path, sizeof(path), "/lib/modules/%.80s/config",
				       names.release);
		read_text(path, text, sizeof(text));
		if (strstr(text, "\nCONFIG_IRQ_TIME_ACCOUNTING=y\n") != NULL)
			return 1;
		if (strstr(text, "\n# CONFIG_IRQ_TIME_ACCOUNTING is not set\n") != NULL)
			return 0;
	}
	return -1;
}

void host_accounting(char text[static 160], bool responder_on_this_host)
{
	static const char *const sentences[2][3] = {
		{"", "includes interrupts that came while it ran", "without time in interrupts"},
		{"may include the responder on this host",
		 "includes the responder on this host",
		 "without time in interrupts, where the responder on this host does its work"},
	};

	(void)snprintf(text, 160, "%s",
		       sentences[responder_on_this_host ? 1 : 0][books_interrupts_apart() + 1]);
}
