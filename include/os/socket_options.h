/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Everything that is set on a socket. It is one place because it is the last use of such calls:
 * after it the socket's filter is locked and nothing is set any more.
 */
#ifndef FPING_BENCH_OS_SOCKET_OPTIONS_H
#define FPING_BENCH_OS_SOCKET_OPTIONS_H

#include "os/transport.h"

/* What the kernel granted. */
struct socket_grants {
	uint32_t receive_buffer_bytes;  /* memory for queued packets, by the kernel's own count */
	uint32_t receive_buffer_holds;  /* replies, beside the errors that may be queued, too */
	bool receive_buffer_is_enough;  /* all outstanding replies fit */
	uint32_t send_stamps; /* what a packet may ask for, SOF_TIMESTAMPING_TX_*; 0: nothing */
	uint32_t stamped_packets; /* so many may have stamps on the error queue */
};

/*
 * Memory that the kernel charges a receive buffer for one reply of `packet_bytes` from the ICMP
 * header on: an upper bound over drivers and fragment counts (a driver's page of 2 KiB and its
 * bookkeeping for the first, 1.53 times the bytes for what comes in further fragments).
 */
uint64_t socket_options_true_size(uint32_t packet_bytes);

/*
 * Memory for the replies of `outstanding` requests, and beside them for errors and send stamps,
 * which lie on the error queue and are charged to the same buffer.
 */
uint64_t socket_options_buffer_bytes(const struct configuration *configuration,
				     uint32_t packet_bytes, uint32_t outstanding);

/*
 * Sets all that the settings ask for. is_raw: a raw ICMP socket, which gets type filter and
 * program and is emptied of what was queued before them; else a ping socket, where the kernel
 * sorts by identifier itself. The sentence of an error names the command line option if one is
 * to blame. Returns 0 or a negative code.
 */
int socket_options_apply(int descriptor, const struct transport_settings *settings, bool is_raw,
			 struct socket_grants *grants, struct error *error) MUST_CHECK;

/*
 * Sets up a socket that only sends fragments made by hand, or whole packets that must not be cut:
 * interface, headers, blind to what was learned of the path, and untouched by connection tracking.
 */
int socket_options_apply_fragments(int descriptor, const struct transport_settings *settings,
				   struct error *error) MUST_CHECK;

/*
 * The time to live that the kernel would give to IPv4 packets of this socket, for those whose
 * header is written by us.
 */
uint8_t socket_options_time_to_live(int descriptor, bool is_multicast);

/* Binds a socket to the interface or VRF of the settings, if there is one. */
int socket_options_bind_device(int descriptor, const struct transport_settings *settings,
			       struct error *error) MUST_CHECK;

/*
 * Prepares a packet socket that is not bound yet to a capture of fragments, of which it keeps
 * `kept` bytes each, with receive stamps; its filter is locked then.
 */
int socket_options_apply_capture(int descriptor, uint32_t kept, struct error *error) MUST_CHECK;

/* Packets that found no room in a packet socket since the last call; false if it does not tell. */
bool socket_options_capture_drops(int descriptor, uint32_t *drops) MUST_CHECK;

/*
 * Claims the flow label for a destination, so that it can be sent even where another process
 * holds labels of its own (RFC 6437; Linux insists once one exclusive label exists in the
 * namespace). Best effort: where it fails the sends tell.
 */
void socket_options_claim_flow_label(int descriptor, const uint8_t destination[static 16],
				     uint32_t label);

/* The socket's count of dropped packets (SO_MEMINFO), 32 bits that wrap; false if unknown. */
bool socket_options_drops(int descriptor, uint32_t *drops);

#endif
