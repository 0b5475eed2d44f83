/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sockets that need a right, one row each. All of them are opened before anything of the
 * caller's is read, where the program has more rights than its caller, so there is one for each
 * thing that a caller may ask for; what is not asked for is closed as soon as that is known. Until
 * then none of them receives a packet.
 */
#include "os/privilege_sockets.h"

#include <errno.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#define RECEIVE_BUFFER_BYTES (8 << 20) /* the kernel doubles them */
#define RECEIVE_BUFFER_MAX (256 << 20)
#define SEND_BUFFER_BYTES (4 << 20)
#define FLAGS (SOCK_CLOEXEC | SOCK_NONBLOCK)

static const struct {
	int family, type, protocol;
	bool receives;
	bool sends;
} kinds[PRIVILEGE_SOCKETS] = {
	[PRIVILEGE_ICMP4] = {AF_INET, SOCK_RAW, IPPROTO_ICMP, true, true},
	[PRIVILEGE_ICMP6] = {AF_INET6, SOCK_RAW, IPPROTO_ICMPV6, true, true},
	[PRIVILEGE_FRAGMENTS4] = {AF_INET, SOCK_RAW, IPPROTO_RAW, false, true},
	[PRIVILEGE_FRAGMENTS6] = {AF_INET6, SOCK_RAW, IPPROTO_FRAGMENT, false, true},
	[PRIVILEGE_WHOLE6] = {AF_INET6, SOCK_RAW, IPPROTO_ICMPV6, false, true},
	[PRIVILEGE_CAPTURE] = {AF_PACKET, SOCK_DGRAM, 0, true, false},
};

static int open_kind(size_t i)
{
	return socket(kinds[i].family, kinds[i].type | FLAGS, kinds[i].protocol);
}

int privilege_sockets_open(struct privilege *privilege, unsigned wanted, struct error *error)
{
	struct sock_filter drop_all[] = {BPF_STMT(BPF_RET | BPF_K, 0)};
	const struct sock_fprog program = {ARRAY_LENGTH(drop_all), drop_all};
	const int on = 1;

	for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++) {
		int descriptor;

		if ((wanted & PRIVILEGE_BIT(i)) == 0)
			continue;
		descriptor = open_kind(i);
		privilege->raw[i] = descriptor;
		if (descriptor < 0) {
			privilege->raw_errno[i] = errno;
			continue;
		}
		if (setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &program,
			       sizeof(program)) != 0)
			return error_set_system(error, errno, "cannot shut off a raw socket");
		if (!kinds[i].receives && setsockopt(descriptor, SOL_SOCKET, SO_LOCK_FILTER, &on,
						     sizeof(on)) != 0)
			return error_set_system(error, errno, "cannot keep a raw socket shut off");
	}
	return 0;
}

int privilege_sockets_set_up(struct privilege *privilege, const uint32_t *mark,
			     struct error *error)
{
	const int receive = (int)min_u64(
		max_u64(privilege->receive_bytes / 2 + 1, RECEIVE_BUFFER_BYTES),
		RECEIVE_BUFFER_MAX);
	const int send = SEND_BUFFER_BYTES;
	uint32_t sockets = 0, forced = 0;

	for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++) {
		int raw = privilege->raw[i];

		if (raw < 0)
			continue;
		sockets++;
		if ((!kinds[i].receives || setsockopt(raw, SOL_SOCKET, SO_RCVBUFFORCE, &receive,
						      sizeof(receive)) == 0) &&
		    (!kinds[i].sends ||
		     setsockopt(raw, SOL_SOCKET, SO_SNDBUFFORCE, &send, sizeof(send)) == 0))
			forced++;
		if (mark != NULL && kinds[i].sends &&
		    setsockopt(raw, SOL_SOCKET, SO_MARK, mark, sizeof(*mark)) != 0)
			return error_set_system(error, errno, "cannot set the mark %u", *mark);
	}
	privilege->buffers_forced = sockets > 0 && forced == sockets;
	if (mark != NULL && sockets == 0)
		return error_set_system(error, privilege->raw_errno[PRIVILEGE_ICMP4],
					"a mark needs a raw socket, which cannot be opened");
	return 0;
}

/* Without room for a descriptor nothing is shown. */
const char *privilege_sockets_regained(void)
{
	for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++) {
		int descriptor = open_kind(i);

		if (descriptor >= 0) {
			(void)close(descriptor);
			return "a raw socket could be opened again";
		}
		if (errno != EPERM && errno != EACCES && errno != EAFNOSUPPORT &&
		    errno != EPROTONOSUPPORT)
			return "whether a raw socket could be opened again cannot be tried";
	}
	return NULL;
}

static void close_socket(struct privilege *privilege, size_t which)
{
	if (privilege->raw[which] >= 0)
		(void)close(privilege->raw[which]);
	privilege->raw[which] = -1;
}

void privilege_keep_sockets(struct privilege *privilege, unsigned wanted)
{
	for (size_t i = 0; i < PRIVILEGE_SOCKETS; i++)
		if ((wanted & PRIVILEGE_BIT(i)) == 0)
			close_socket(privilege, i);
}

int privilege_take_socket(struct privilege *privilege, enum privilege_socket which)
{
	int descriptor = privilege->raw[which];

	privilege->raw[which] = -1;
	return descriptor;
}

void privilege_end(struct privilege *privilege)
{
	privilege_keep_sockets(privilege, 0);
}
