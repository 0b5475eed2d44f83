/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * peer: every host behind a TUN device, in one thread. It answers echo requests as a script says
 * (README.md) and is the independent oracle of the end-to-end tests, so it shares no code with
 * the program under test.
 *
 * The loop sends what is due, reads one packet, and waits when there is neither. It sleeps until
 * shortly before the next send and spins the rest, still reading, since a sleep alone ends tens
 * of microseconds late.
 */
#include "options.h"
#include "peer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum {
	SEND_BATCH = 64,
	SIGNAL_CHECK_NS = 5000000,
};

/* The one thing that a signal handler may touch. */
static volatile sig_atomic_t stop_wanted;

static void want_stop(int signal_number)
{
	(void)signal_number;
	stop_wanted = 1;
}

int64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/*
 * Signals are blocked but within ppoll, so none can arrive between a look at the flag and the
 * sleep.
 */
static void catch_signals(sigset_t *open_mask)
{
	struct sigaction action = {.sa_handler = want_stop};
	sigset_t stops;

	sigemptyset(&stops);
	sigaddset(&stops, SIGINT);
	sigaddset(&stops, SIGTERM);
	sigprocmask(SIG_BLOCK, &stops, open_mask);
	sigdelset(open_mask, SIGINT);
	sigdelset(open_mask, SIGTERM);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

static void wait_until(struct peer *peer, const sigset_t *mask, int64_t until_ns, int64_t now_ns)
{
	struct pollfd poll_device = {.fd = peer->device, .events = POLLIN};
	int64_t wait_ns = until_ns > now_ns ? until_ns - now_ns : 0;
	struct timespec timeout = {.tv_sec = wait_ns / 1000000000, .tv_nsec = wait_ns % 1000000000};

	if (peer->stuck_until_ns > now_ns)
		poll_device.fd = -1;
	if (peer->log && wait_ns > SIGNAL_CHECK_NS)
		fflush(peer->log);
	ppoll(&poll_device, 1, &timeout, mask);
}

static bool receive_one(struct peer *peer, int64_t now_ns)
{
	static uint8_t bytes[PACKET_MAX + 64];
	ssize_t length;

	if (peer->stuck_until_ns > now_ns)
		return false;
	length = read(peer->device, bytes, sizeof(bytes));
	if (length <= 0) {
		if (length < 0 && errno != EAGAIN && errno != EINTR)
			stop_wanted = 1; /* the device is gone */
		return false;
	}
	receive_packet(peer, bytes, (size_t)length, clock_ns());
	return true;
}

static bool finished(const struct peer *peer, const struct options *options)
{
	return options->count > 0 && peer->statistics.requests >= options->count &&
	       peer->queue.count == 0;
}

/* When something has to be done that is not a packet: the next send, a timeout, the end. */
static int64_t next_time(const struct peer *peer, int64_t end_ns, int64_t now_ns)
{
	const struct event *event = queue_top(&peer->queue);
	const struct datagram *oldest = peer->reassembly.oldest;
	int64_t next = end_ns;

	if (event && event->time_ns < next)
		next = event->time_ns;
	if (oldest && oldest->first_ns + peer->reassembly.timeout_ns < next)
		next = oldest->first_ns + peer->reassembly.timeout_ns;
	if (peer->stuck_until_ns > now_ns && peer->stuck_until_ns < next)
		next = peer->stuck_until_ns;
	return next;
}

static void run(struct peer *peer, const struct options *options, const sigset_t *mask)
{
	int64_t now_ns = clock_ns(), checked_ns = now_ns, next_ns;
	int64_t end_ns = options->run_ns > 0 ? now_ns + options->run_ns : INT64_MAX / 2;

	while (!stop_wanted && now_ns < end_ns && !finished(peer, options)) {
		bool busy = send_due(peer, now_ns, SEND_BATCH), overdue;

		busy |= receive_one(peer, now_ns);
		now_ns = clock_ns();
		receive_expire(peer, now_ns);
		overdue = now_ns - checked_ns >= SIGNAL_CHECK_NS;
		if (busy && !overdue)
			continue;
		next_ns = next_time(peer, end_ns, now_ns);
		if (busy || overdue || next_ns - now_ns > options->spin_ns) {
			wait_until(peer, mask, busy ? now_ns : next_ns - options->spin_ns, now_ns);
			checked_ns = now_ns = clock_ns();
		} else {
			send_prepare(peer);
			now_ns = clock_ns();
		}
	}
}

/*
 * The last but one address of the IPv4 net, and ::fe in the IPv6 one, unless the script names
 * routers.
 */
static void choose_routers(struct peer *peer, const struct device_settings *device)
{
	struct maker *maker = &peer->maker;
	uint32_t broadcast;

	address_parse("10.66.0.254", &maker->router4);
	address_parse("fd66::fe", &maker->router6);
	if (device->address4.family && device->prefix4 < 31) {
		broadcast = get32(device->address4.bytes) | 0xffffffffu >> device->prefix4;
		maker->broadcast4 = device->address4;
		put32(maker->broadcast4.bytes, broadcast);
		put32(maker->router4.bytes, broadcast - 1);
	}
	if (device->address6.family && device->prefix6 <= 120) {
		maker->router6 = device->address6;
		for (size_t i = (device->prefix6 + 7) / 8; i < 16; i++)
			maker->router6.bytes[i] = 0;
		maker->router6.bytes[15] = 0xfe;
	}
	if (peer->script.router4.family)
		maker->router4 = peer->script.router4;
	if (peer->script.router6.family)
		maker->router6 = peer->script.router6;
}

static int start(struct peer *peer, struct options *options)
{
	struct device_settings *device = &options->device;
	int ready;

	peer->device = device_open(device);
	if (peer->device < 0 || device_configure(device) < 0) {
		fprintf(stderr, "peer: %s\n", device->error);
		return -1;
	}
	if (options->log) {
		peer->log = fopen(options->log, "we");
		if (!peer->log) {
			perror(options->log);
			return -1;
		}
		setvbuf(peer->log, NULL, _IOFBF, 1 << 20);
		fputs("# ns dir family src dst id seq length offset more type code\n", peer->log);
	}
	peer->maker.mtu = (size_t)device_mtu(device);
	peer->maker.random.state = 1;
	if (peer->script.seed_given)
		peer->maker.random.state = (uint64_t)peer->script.seed;
	if (options->seed_given)
		peer->maker.random.state = (uint64_t)options->seed;
	/*
	 * Not from the seed: a peer started after another in one namespace must not give its
	 * fragments the ids of those that are still waiting there for a missing one.
	 */
	peer->maker.ip_id = (uint16_t)(clock_ns() >> 10);
	peer->maker.fragment_id = (uint32_t)(clock_ns() >> 10);
	peer->maker.keeps_requests = peer->script.keeps_requests;
	peer->reassembly.timeout_ns =
		peer->script.reassembly_ns ? peer->script.reassembly_ns : 1000000000;
	choose_routers(peer, device);
	if (!options->ready)
		return 0;
	ready = open(options->ready, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
	if (ready < 0) {
		perror(options->ready);
		return -1;
	}
	close(ready);
	return 0;
}

static void finish(struct peer *peer)
{
	if (peer->log)
		fclose(peer->log);
	for (size_t i = 0; i < peer->held_count; i++)
		event_free(peer->held[i]);
	free(peer->held);
	queue_free(&peer->queue);
	request_release(peer->last);
	make_free(&peer->maker);
	reassembly_free(&peer->reassembly);
	statistics_free(&peer->statistics);
	script_free(&peer->script);
	packets_free_pool();
}

int main(int argc, char **argv)
{
	static struct peer peer;
	static struct options options;
	sigset_t mask;

	if (options_read(&options, &peer.script, argc, argv) < 0)
		return 2;
	if (options.check_only)
		return 0;
	if (options.die_with_parent)
		prctl(PR_SET_PDEATHSIG, SIGTERM);
	prctl(PR_SET_TIMERSLACK, 1);
	if (options.realtime) {
		const struct sched_param priority = {.sched_priority = 1};

		if (sched_setscheduler(0, SCHED_FIFO, &priority) < 0)
			perror("peer: --realtime"); /* it is only slower without */
	}
	catch_signals(&mask);
	if (start(&peer, &options) < 0)
		return 1;
	run(&peer, &options, &mask);
	peer.statistics.device_drops = device_drops(&options.device);
	report_print(&peer, stdout);
	finish(&peer);
	return 0;
}
