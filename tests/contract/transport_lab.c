/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lab of the transports' contracts. A row that this process may not open, or a family that this
 * host does not have, is skipped with the reason.
 */
#include "contract/transport_lab.h"

#include "contract/contract.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void lab_prepare(struct transport_lab *lab, const struct transport_row *row, uint8_t family)
{
	memset(lab, 0, sizeof(*lab));
	lab->row = row;
	lab->format = wire_format_find(family);
	lab->host = family == 4 ? address_from_ip4((const uint8_t[4]){127, 0, 0, 1})
				: address_from_ip6((const uint8_t[16]){[15] = 1}, 0);
	configuration_defaults(&lab->configuration);
	lab->configuration.stamps = STAMPS_RX;
	lab->simulated_ns = NANOSECONDS_PER_SECOND;
	lab->clock.row = &clock_monotonic;
	if ((row->flags(family) & TRANSPORT_SIMULATED) != 0)
		lab->clock = (struct clock_source){&clock_simulated, &lab->simulated_ns};
	lab->waiter = waiter_system(&lab->clock);
	lab->transport.row = row;
	lab->settings = (struct transport_settings){
		.family = family,
		.identifier = IDENTIFIER,
		.configuration = &lab->configuration,
		.packet_bytes = PACKET_BYTES,
		.outstanding = TRANSPORT_BATCH,
		.clock = &lab->clock,
		.real_time = &lab->real_time,
		.waiter = &lab->waiter,
	};
	lab->plan = (struct payload_plan){.bytes = PAYLOAD_BYTES, .key = "0123456789abcde"};
	payload_plan_init(&lab->plan);
	for (uint32_t i = 0; i < TRANSPORT_BATCH; i++) {
		lab->incoming[i].bytes = lab->replies[i];
		lab->incoming[i].capacity = CAPACITY;
	}
}

/* Whether this host has the family's loopback address at all. */
static bool has_family(const struct transport_lab *lab)
{
	bool is_ip4 = lab->settings.family == 4;
	struct sockaddr_in ip4 = {.sin_family = AF_INET, .sin_port = htons(9)};
	struct sockaddr_in6 ip6 = {.sin6_family = AF_INET6, .sin6_port = htons(9)};
	int probe = socket(is_ip4 ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int result = -1;

	ip4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ip6.sin6_addr = in6addr_loopback;
	if (probe >= 0) {
		result = is_ip4 ? connect(probe, (const struct sockaddr *)&ip4, sizeof(ip4))
				: connect(probe, (const struct sockaddr *)&ip6, sizeof(ip6));
		(void)close(probe);
	}
	return result == 0;
}

int lab_descriptor(const struct transport_lab *lab)
{
	if ((lab->row->flags(lab->settings.family) & TRANSPORT_NEEDS_PRIVILEGE) == 0)
		return -1;
	return lab->settings.family == 4
		       ? socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP)
		       : socket(AF_INET6, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMPV6);
}

/* Opens the row with the settings; false, with the test skipped or failed, if it cannot be. */
static bool open_row(struct transport_lab *lab)
{
	unsigned flags = lab->row->flags(lab->settings.family);
	int descriptor = lab_descriptor(lab);
	struct error error;
	int result;

	error_clear(&error);
	if ((flags & TRANSPORT_SIMULATED) == 0 && !has_family(lab)) {
		contract_skip("no loopback for IPv%d", lab->settings.family);
		if (descriptor >= 0)
			(void)close(descriptor);
		return false;
	}
	if ((flags & TRANSPORT_NEEDS_PRIVILEGE) != 0 && descriptor < 0) {
		contract_skip("no right to open a raw socket");
		return false;
	}
	result = lab->row->open(&lab->transport, &lab->settings, descriptor, &error);
	if (result == -ERROR_PERMISSION) {
		contract_check(strstr(error.text, "CAP_NET_RAW") != NULL &&
				       strstr(error.text, "ping_group_range") != NULL,
			       "the remedies are not named: %s", error.text);
		contract_skip("no right to open a ping socket");
		return false;
	}
	return contract_check(result == 0, "%s", error.text);
}

bool lab_open(struct transport_lab *lab)
{
	struct error error;

	real_time_open(&lab->real_time, &lab->clock);
	if (!open_row(lab)) {
		real_time_close(&lab->real_time);
		return false;
	}
	if (contract_check(lab->row->add_destination(&lab->transport, &lab->host, &error) == 0,
			   "the first destination is not number 0"))
		return true;
	lab_close(lab);
	return false;
}

void lab_close(struct transport_lab *lab)
{
	lab->row->close(&lab->transport);
	real_time_close(&lab->real_time);
}

void lab_write(struct transport_lab *lab, uint16_t first, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint8_t *packet = lab->requests[i];
		uint16_t sequence = (uint16_t)(first + i);

		lab->format->build(packet, lab->transport.identifier);
		lab->format->finish(packet, sequence,
				    payload_write(&lab->plan, sequence,
						  packet + WIRE_ECHO_HEADER_BYTES));
		lab->outgoing[i] =
			(struct transport_outgoing){.bytes = packet, .length = PACKET_BYTES};
	}
}

uint32_t lab_send_written(struct transport_lab *lab, uint32_t count)
{
	uint32_t sent = 0;

	while (sent < count) {
		int accepted = lab->row->send(&lab->transport, lab->outgoing + sent, count - sent);

		if (!contract_check(accepted > 0 && (uint32_t)accepted <= count - sent, "send: %s",
				    accepted < 0 ? strerror(-accepted) : "an impossible count"))
			break;
		sent += (uint32_t)accepted;
	}
	return sent;
}

uint32_t lab_send(struct transport_lab *lab, uint16_t first, uint32_t count)
{
	lab_write(lab, first, count);
	return lab_send_written(lab, count);
}

uint32_t lab_receive(struct transport_lab *lab, uint32_t count, int64_t *now_ns)
{
	int64_t limit_ns = clock_now(&lab->clock) + PATIENCE_NS;
	int descriptor = lab->row->descriptor(&lab->transport);

	for (;;) {
		int received = lab->row->receive(&lab->transport, lab->incoming, count, now_ns);

		if (!contract_check(received >= 0 && (uint32_t)received <= count, "receive: %d",
				    received))
			return 0;
		if (received > 0 || *now_ns >= limit_ns)
			return (uint32_t)received;
		lab->waiter.wait(lab->waiter.context, &descriptor, 1, limit_ns, false);
	}
}
