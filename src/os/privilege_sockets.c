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

/* Nothing arrives at the socket; lasting: nor ever will. */
static int shut(int descriptor, bool lasting, struct error *error)
{
	struct sock_filter drop_all[] = {BPF_STMT(BPF_RET | BPF_K, 0)};
	const struct sock_fprog program = {ARRAY_LENGTH(drop_all), drop_all};
	const int on = 1;

	if (setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) != 0)
		return error_set_system(error, errno, "cannot shut off a raw socket");
	if (lasting &&
	    setsockopt(descriptor, SOL_SOCKET, SO_LOCK_FILTER, &on, sizeof(on)) != 0)
		return error_set_system(error, errno, "cannot keep a raw socket shut off");
	return 0;
}

int privilege_sockets_open(int raw[static PRIVILEGE_SOCKETS],
			   int why_not[static PRIVILEGE_SOCKETS], unsigned wanted,
			   struct error *error)
{
	int result = 0;

	for (size_t i = 0; i < PRIVILEGE_SOCKETS && result == 0; i++) {
		if ((wanted & PRIVILEGE_BIT(i)) == 0)
			continue;
		raw[i] = open_kind(i);
		if (raw[i] < 0)
			why_not[i] = errno;
		else
			result = shut(raw[i], !kinds[i].receives, error);
	}
	return result;
}

static bool force_buffers(size_t i, int raw, int receive)
{
	const int send = SEND_BUFFER_BYTES;

	return (!kinds[i].receives || setsockopt(raw, SOL_SOCKET, SO_RCVBUFFORCE, &receive,
						 sizeof(receive)) == 0) &&
	       (!kinds[i].sends ||
		setsockopt(raw, SOL_SOCKET, SO_SNDBUFFORCE, &send, sizeof(send)) == 0);
}

int privilege_sockets_set_up(const int raw[static PRIVILEGE_SOCKETS], uint64_t receive_bytes,
			     const uint32_t *mark, bool *forced, struct error *error)
{
	const int receive = (int)min_u64(max_u64(receive_bytes / 2 + 1, RECEIVE_BUFFER_BYTES),
					 RECEIVE_BUFFER_MAX);
	uint32_t open_count = 0, forced_count = 0;

	for (size_t i = 0; i < PRIVILEGE_SOCKETS; i++) {
		if (raw[i] < 0)
			continue;
		open_count++;
		forced_count += force_buffers(i, raw[i], receive);
		if (mark != NULL && kinds[i].sends &&
		    setsockopt(raw[i], SOL_SOCKET, SO_MARK, mark, sizeof(*mark)) != 0)
			return error_set_system(error, errno, "cannot set the mark %u", *mark);
	}
	*forced = open_count > 0 && forced_count == open_count;
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

void privilege_sockets_close(int raw[static PRIVILEGE_SOCKETS], unsigned kept)
{
	for (size_t i = 0; i < PRIVILEGE_SOCKETS; i++) {
		if ((kept & PRIVILEGE_BIT(i)) != 0 || raw[i] < 0)
			continue;
		(void)close(raw[i]);
		raw[i] = -1;
	}
}
