/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How packets leave and arrive, one row each: raw ICMP sockets, ping sockets, the simulated
 * network. A transport moves batches of bytes; it does not know what they mean. One transport
 * serves all targets of one family with one socket.
 */
#ifndef FPING_BENCH_OS_TRANSPORT_H
#define FPING_BENCH_OS_TRANSPORT_H

#include "base/address.h"
#include "base/error.h"
#include "core/configuration.h"
#include "os/clock.h"

#define TRANSPORT_BATCH 64u /* most packets in one call: more is not faster, and is burstier */

struct transport_outgoing {
	const uint8_t *bytes; /* from the ICMP header on */
	uint32_t length;
	uint32_t destination; /* index from transport_add_destination */
	bool wants_stamps;    /* the kernel is to say when it left */
	const struct fragment_cut *cut; /* NULL: the kernel cuts it, if it must be; transport_raw */
	uint32_t stamp_id;    /* under which it says so: struct transport_stamp's id */
};

struct transport_incoming {
	uint8_t *bytes;        /* buffer given by the caller */
	uint32_t capacity;     /* its size */
	/* filled in: */
	uint32_t length;       /* bytes received into the buffer */
	uint32_t full_length;  /* bytes the packet had */
	struct address source;
	int ttl;               /* from a control message, -1 when none came */
	uint32_t largest_fragment; /* IP bytes of the largest fragment it came in; 0: came whole */
	int64_t stamp_ns;      /* kernel's receive stamp on the run's clock; INT64_MIN: none */
	int64_t stamp_real_ns; /* the same as the kernel gave it, CLOCK_REALTIME; INT64_MIN: none */
	int64_t hardware_ns;   /* the interface's, on its own clock; INT64_MIN: none */
};

enum transport_stamp_kind {
	TRANSPORT_STAMP_QUEUE,    /* handed to the queue of the interface */
	TRANSPORT_STAMP_DRIVER,   /* handed to the interface by its driver */
	TRANSPORT_STAMP_HARDWARE, /* put on the wire; the interface's own clock */
};

/* When a packet left: one of the stamps that it was sent with a wish for. */
struct transport_stamp {
	uint32_t id;
	enum transport_stamp_kind kind;
	int64_t stamp_ns; /* on the run's clock; INT64_MIN: cannot be brought over, or hardware */
	int64_t real_ns;  /* as it came */
};

/*
 * One entry of a socket's error queue. An error of this host's own tells more about sends that
 * have failed with the same errno (EMSGSIZE: the MTU that was exceeded, and the destination); no
 * packet that was accepted is meant by it, and one entry may stand for several sends.
 */
struct transport_error {
	bool is_local;         /* of this host's own */
	uint8_t type, code;    /* ICMP, when not local */
	int system_errno;
	uint32_t mtu;          /* message too long, fragmentation needed: as received */
	struct address offender; /* who sent the ICMP error */
	struct address destination; /* where the packet in question went; family 0 unknown */
	uint8_t bytes[192];    /* of the packet in question: quoted from its ICMP header on */
	uint32_t length;
};

struct transport_settings {
	uint8_t family;                 /* 4 or 6 */
	uint16_t identifier;            /* ICMP identifier, host order; ping sockets replace it */
	const struct configuration *configuration;
	uint32_t packet_bytes;          /* of one request from the ICMP header on */
	uint32_t outstanding; /* most requests in flight over all targets: sizes the buffers */
	struct address source;          /* bind to it; family 0: none */
	char device[16];                /* bind to the interface or VRF; "" none */
	bool allow_broadcast;           /* a target is one, and -b was given */
	struct clock_source *clock;
	struct real_time *real_time;    /* brings kernel stamps over; NULL: there are none then */
	bool has_fragments;             /* some requests are cut by hand: transport_raw only */
	int fragments, whole;           /* sockets for them (fragment_sender.h), taken over */
	struct waiter *waiter;          /* the simulated transport installs its own here */
};

struct transport {
	const struct transport_row *row;
	void *context;                  /* of the row */
	uint16_t identifier;            /* really in use */
	uint32_t receive_buffer_bytes;  /* granted; 0 unknown */
	uint32_t receive_buffer_holds;  /* so many replies; UINT32_MAX: no limit */
	bool receive_buffer_is_enough;  /* settings.outstanding replies fit */
	/*
	 * Packets may ask for send stamps. The kernel or the transport may not have them, and a run
	 * on an old kernel may lose them on the way; wishes are ignored then, nothing else changes.
	 */
	bool sends_stamps;
};

enum transport_flags {
	TRANSPORT_NEEDS_PRIVILEGE = 1,  /* a raw socket from privilege_take_socket */
	TRANSPORT_HAS_IP_HEADER = 2,    /* received IPv4 bytes start with the IP header */
	TRANSPORT_VERIFIES_CHECKSUM = 4, /* bad ICMP checksums never arrive */
	TRANSPORT_QUEUES_ERRORS = 8,    /* ICMP errors come by receive_error only */
	TRANSPORT_SIMULATED = 16,
};

struct transport_row {
	const char *name;
	const char *summary;
	unsigned (*flags)(uint8_t family);
	/*
	 * descriptor: an open raw socket for rows that need privilege, else -1. It is taken over,
	 * also on failure.
	 */
	int (*open)(struct transport *transport, const struct transport_settings *settings,
		    int descriptor, struct error *error) MUST_CHECK;
	/* Returns the index for struct transport_outgoing. Before the first send only. */
	int (*add_destination)(struct transport *transport, const struct address *address,
			       struct error *error) MUST_CHECK;
	/*
	 * Sends up to count packets in one system call. Returns how many the kernel accepted, >= 1,
	 * or -errno for the first one. An error that belongs to an earlier packet is taken off the
	 * socket and the call done again.
	 */
	int (*send)(struct transport *transport, const struct transport_outgoing *packets,
		    uint32_t count);
	/*
	 * Receives up to count packets without waiting, in one system call. Returns how many
	 * came, 0 for none, -errno. now_ns receives the clock's time read right after the call.
	 */
	int (*receive)(struct transport *transport, struct transport_incoming *packets,
		       uint32_t count, int64_t *now_ns);
	/*
	 * Takes one entry off the error queue: 1, or 0 when it is empty. It costs no system call
	 * while nothing points to an error. NULL: the row has no error queue.
	 */
	int (*receive_error)(struct transport *transport, struct transport_error *error);
	/*
	 * Takes up to count (at most TRANSPORT_BATCH) send stamps that have come back, in any
	 * order: how many; as many as were asked for: ask again. It costs a system call: ask while
	 * some are awaited, before a wait too, which they would end. A packet may have no stamp,
	 * or several of a kind (of each of several devices on top of each other), or one of a
	 * send that failed and was done again with the same id: that one is older than the call.
	 * NULL: the row has none.
	 */
	int (*receive_stamps)(struct transport *transport, struct transport_stamp *stamps,
			      uint32_t count);
	/* For the waiter; -1: none. */
	int (*descriptor)(const struct transport *transport);
	/* Packets that the kernel dropped at our socket so far (SO_RXQ_OVFL, SO_MEMINFO). */
	uint64_t (*drops)(struct transport *transport);
	void (*close)(struct transport *transport);
};

extern const struct transport_row transport_raw;
extern const struct transport_row transport_ping;
extern const struct transport_row transport_sim;

/* The table: all rows, ended by NULL. */
extern const struct transport_row *const transport_rows[];

/* The row of that name, or NULL. */
const struct transport_row *transport_find(const char *name);

#endif
