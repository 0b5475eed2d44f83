/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of a socket transport, shared by the files that open it (transport_socket.c), move its
 * packets (transport_socket_packets.c), ask for send stamps (transport_socket_stamps.c) and read
 * its error queue (transport_socket_queue.c), and by nothing else.
 */
#ifndef FPING_BENCH_OS_TRANSPORT_SOCKET_INTERNAL_H
#define FPING_BENCH_OS_TRANSPORT_SOCKET_INTERNAL_H

#include <netinet/in.h>
#include <sys/socket.h>

#include "os/control_message.h"
#include "os/fragment_sender.h"
#include "os/real_time.h"
#include "os/transport.h"

#define SOCKET_QUEUE_BATCH 32u       /* entries of the error queue taken by one system call */
#define SOCKET_QUOTE_BYTES 192u      /* of the packet in an entry: as in struct transport_error */
#define SOCKET_ERRORS_MAX 64u        /* that wait here until somebody asks for them */
#define SOCKET_STAMPS_MAX 256u       /* likewise */
#define SOCKET_COUNTED_STAMPS 1024u  /* power of two: packets whose stamps may be under way */
#define SOCKET_STAMP_CONTROL_BYTES 64u /* two control messages of 4 bytes */

union socket_address {
	struct sockaddr any;
	struct sockaddr_in ip4;
	struct sockaddr_in6 ip6;
};

/* Whether and how send stamps are asked for, best first. */
enum socket_stamp_way {
	SOCKET_STAMPS_GIVEN,   /* each packet with an id of ours (SCM_TS_OPT_ID, Linux 6.13) */
	SOCKET_STAMPS_COUNTED, /* the kernel numbers the packets that ask for stamps from 0 */
	SOCKET_STAMPS_NONE,
};

struct socket_stamps {
	enum socket_stamp_way way;
	bool is_proven;          /* the kernel has taken a packet that was sent in this way */
	uint32_t wishes;         /* SOF_TIMESTAMPING_TX_* of each packet that asks */
	uint32_t awaited;        /* driver stamps that have not come; may come out too low */
	uint32_t unread;         /* packets that asked since the queue was last empty */
	uint32_t room;           /* so many of them were made room for */
	bool are_counted;        /* what comes back has the kernel's numbers, not our ids */
	uint32_t counted;        /* packets that the kernel has numbered */
	uint32_t *counted_ids;   /* our ids of the last ones, by number */
	/* what has come and was not asked for yet, a ring */
	uint32_t first, count;
	struct transport_stamp waiting[SOCKET_STAMPS_MAX];
	_Alignas(struct cmsghdr) uint8_t controls[TRANSPORT_BATCH][SOCKET_STAMP_CONTROL_BYTES];
};

/* Entries of the error queue as one system call brings them. */
struct socket_queue {
	struct mmsghdr headers[SOCKET_QUEUE_BATCH];
	struct iovec vectors[SOCKET_QUEUE_BATCH];
	union socket_address names[SOCKET_QUEUE_BATCH];
	uint8_t bytes[SOCKET_QUEUE_BATCH][SOCKET_QUOTE_BYTES];
	_Alignas(struct cmsghdr) uint8_t controls[SOCKET_QUEUE_BATCH][CONTROL_MESSAGE_BYTES];
	/* errors that nobody has asked for yet, a ring */
	uint32_t first, count;
	struct transport_error errors[SOCKET_ERRORS_MAX];
};

struct transport_socket {
	int descriptor;
	uint8_t family;
	bool is_raw;
	bool errors_suspected;   /* the error queue may hold something */
	uint32_t empty_receives;
	struct clock_source *clock;
	struct real_time *real_time; /* NULL: stamps cannot be brought over */
	int64_t flow_label;      /* -1: none */
	socklen_t address_bytes;
	union socket_address *destinations;
	uint32_t destination_count, destination_room;
	uint32_t last_drops;     /* the kernel's count, which wraps, when last seen */
	uint64_t drops;
	struct fragment_sender *fragments; /* NULL: nothing is cut by hand */
	struct socket_stamps stamps;
	struct socket_queue queue;
	struct mmsghdr send_headers[TRANSPORT_BATCH];
	struct iovec send_vectors[TRANSPORT_BATCH];
	struct mmsghdr receive_headers[TRANSPORT_BATCH];
	struct iovec receive_vectors[TRANSPORT_BATCH];
	union socket_address receive_names[TRANSPORT_BATCH];
	_Alignas(struct cmsghdr) uint8_t controls[TRANSPORT_BATCH][CONTROL_MESSAGE_BYTES];
};

/* family 0 when the kernel told no address. */
void transport_socket_read_address(const union socket_address *name, struct address *address);

/* ---- the error queue ---- */

void transport_socket_queue_init(struct transport_socket *socket);

/* Moves errors from the kernel's queue to the list, as far as there may be some and it has room. */
void transport_socket_collect_errors(struct transport_socket *socket);

/*
 * Before a send: empties the queue if it may hold more stamps than there is room for, since nobody
 * has asked for them. The room is the replies', too.
 */
void transport_socket_make_room(struct transport_socket *socket);

/* Whether this host itself has found a packet too long, as far as the list tells. */
bool transport_socket_has_too_long(const struct transport_socket *socket);

/* ---- send stamps ---- */

/*
 * wishes: of each packet, SOF_TIMESTAMPING_TX_*; 0: the socket has no send stamps. room: so many
 * packets may have stamps on the queue.
 */
void transport_socket_stamps_init(struct transport_socket *socket, uint32_t wishes, uint32_t room);

/* Puts the wishes of packets to the headers that they are sent with. */
void transport_socket_ask_stamps(struct transport_socket *socket,
				 const struct transport_outgoing *packets, uint32_t count);

/* The first `sent` of the packets were accepted, the next, if there is one, was refused. */
void transport_socket_stamps_sent(struct transport_socket *socket,
				  const struct transport_outgoing *packets, uint32_t sent,
				  uint32_t count);

/*
 * The first packet was refused with this errno. True: the kernel may have objected to the way in
 * which it asked for stamps; another was chosen, so ask and send again.
 */
bool transport_socket_stamps_refused(struct transport_socket *socket,
				     const struct transport_outgoing *first, int system_errno);

/*
 * What an entry of the error queue says about a packet that left: its stamp but for the id and the
 * mapping to the run's clock. False: it says nothing of use.
 */
bool transport_socket_stamp_of(const struct control_facts *facts, struct transport_stamp *stamp);

/* Puts the stamp of a queued entry to those that wait; usable: real time can be brought over. */
void transport_socket_keep_stamp(struct transport_socket *socket,
				 const struct control_facts *facts, bool usable,
				 int64_t offset_ns);

#endif
