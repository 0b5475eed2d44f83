/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The packet socket behind --capture-fragments. It delivers packets from their IP header on, cut
 * off behind the headers, many with one system call; of each the kernel says in which direction it
 * passed and when. A loopback interface shows every packet twice, leaving and coming: the type of
 * message tells (a request that comes in, a reply that leaves are not ours), so each counts once.
 */
#include "os/fragment_capture.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "os/control_message.h"
#include "os/socket_options.h"

#define KEPT_BYTES    128u /* IPv6 with some further headers, fragment header, ICMP header */
#define CONTROL_BYTES 64u  /* one stamp */
#define BATCH	      64u
#define BATCHES_MAX   16u  /* in one look, so that the engine gets back to its own sockets */
#define LAST_BATCHES_MAX 4096u /* at the end: more than the socket holds */
#define SLOTS	      1024u

struct fragment_capture {
	int descriptor;
	const struct real_time *real_time;
	uint32_t steps; /* of real time, that are known here */
	bool drops_are_known;
	uint64_t drops;
	struct fragment_trains trains;
	struct result_capture result;
	struct fragment_train table[SLOTS];
	struct mmsghdr headers[BATCH];
	struct iovec vectors[BATCH];
	struct sockaddr_ll names[BATCH];
	_Alignas(struct cmsghdr) uint8_t controls[BATCH][CONTROL_BYTES];
	uint8_t bytes[BATCH][KEPT_BYTES];
};

static void link_headers(struct fragment_capture *capture)
{
	for (size_t i = 0; i < BATCH; i++) {
		struct msghdr *header = &capture->headers[i].msg_hdr;

		capture->vectors[i].iov_base = capture->bytes[i];
		capture->vectors[i].iov_len = KEPT_BYTES;
		header->msg_iov = &capture->vectors[i];
		header->msg_iovlen = 1;
		header->msg_name = &capture->names[i];
		header->msg_control = capture->controls[i];
	}
}

static int start(struct fragment_capture *capture, const struct fragment_capture_settings *settings,
		 struct error *error)
{
	struct sockaddr_ll name = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL), /* less would not see what leaves */
		.sll_ifindex = (int)settings->interface_index,
	};
	int status = socket_options_apply_capture(capture->descriptor, KEPT_BYTES, error);

	if (status < 0)
		return status;
	if (bind(capture->descriptor, (const struct sockaddr *)&name, sizeof(name)) != 0)
		return error_set_system(error, errno, "cannot capture on interface %s",
					settings->interface);
	return 0;
}

int fragment_capture_open(struct fragment_capture **capture, int descriptor,
			  const struct fragment_capture_settings *settings, struct error *error)
{
	struct fragment_capture *opened = calloc(1, sizeof(*opened));
	int status;

	if (opened == NULL) {
		(void)close(descriptor);
		return error_set(error, ERROR_NO_MEMORY, "no memory for the capture");
	}
	opened->descriptor = descriptor;
	opened->real_time = settings->real_time;
	opened->steps = settings->real_time != NULL ? settings->real_time->steps : 0;
	opened->drops_are_known = true;
	(void)snprintf(opened->result.interface, sizeof(opened->result.interface), "%s",
		       settings->interface);
	fragment_trains_init(&opened->trains, &settings->trains, opened->table, SLOTS);
	link_headers(opened);
	status = start(opened, settings, error);
	if (status < 0) {
		fragment_capture_close(opened);
		return status;
	}
	*capture = opened;
	return 0;
}

/* One system call: how many packets it brought. */
static uint32_t receive(struct fragment_capture *capture)
{
	int taken;

	for (size_t i = 0; i < BATCH; i++) {
		capture->headers[i].msg_hdr.msg_namelen = sizeof(capture->names[i]);
		capture->headers[i].msg_hdr.msg_controllen = CONTROL_BYTES;
	}
	do
		taken = recvmmsg(capture->descriptor, capture->headers, BATCH, MSG_DONTWAIT, NULL);
	while (taken < 0 && errno == EINTR);
	return taken > 0 ? (uint32_t)taken : 0;
}

/* Stamps on both sides of a step have no distance. */
static void note_steps(struct fragment_capture *capture)
{
	if (capture->real_time == NULL || capture->steps == capture->real_time->steps)
		return;
	capture->steps = capture->real_time->steps;
	fragment_trains_void_stamps(&capture->trains);
}

static void take(struct fragment_capture *capture, size_t i, int64_t now_ns)
{
	const struct mmsghdr *header = &capture->headers[i];
	struct control_facts facts;

	control_message_parse(capture->controls[i], header->msg_hdr.msg_controllen, &facts);
	(void)fragment_trains_take(&capture->trains, capture->bytes[i],
				   min_u64(header->msg_len, KEPT_BYTES),
				   capture->names[i].sll_pkttype == PACKET_OUTGOING,
				   facts.has_stamp ? facts.stamp_real_ns : INT64_MIN, now_ns);
}

static void drain(struct fragment_capture *capture, int64_t now_ns, uint32_t batches)
{
	uint32_t taken = BATCH;

	note_steps(capture);
	for (uint32_t i = 0; i < batches && taken == BATCH; i++) {
		taken = receive(capture);
		for (uint32_t packet = 0; packet < taken; packet++)
			take(capture, packet, now_ns);
	}
}

void fragment_capture_drain(struct fragment_capture *capture, int64_t now_ns)
{
	drain(capture, now_ns, BATCHES_MAX);
}

static void read_drops(struct fragment_capture *capture)
{
	uint32_t drops = 0;

	if (!socket_options_capture_drops(capture->descriptor, &drops))
		capture->drops_are_known = false;
	capture->drops += drops;
}

void fragment_capture_restart(struct fragment_capture *capture)
{
	uint32_t taken = BATCH;

	for (uint32_t i = 0; i < LAST_BATCHES_MAX && taken == BATCH; i++)
		taken = receive(capture);
	read_drops(capture);
	capture->drops = 0;
	fragment_trains_restart(&capture->trains);
}

struct result_capture *fragment_capture_finish(struct fragment_capture *capture, int64_t now_ns,
					       int64_t grace_ns)
{
	struct result_capture *result = &capture->result;

	drain(capture, now_ns, LAST_BATCHES_MAX);
	read_drops(capture);
	fragment_trains_finish(&capture->trains, now_ns, grace_ns, result);
	result->drops_are_known = capture->drops_are_known;
	result->drops = capture->drops;
	result->holes_are_known = capture->drops_are_known && capture->drops == 0;
	return result;
}

void fragment_capture_close(struct fragment_capture *capture)
{
	if (capture == NULL)
		return;
	(void)close(capture->descriptor);
	free(capture);
}
