/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All privilege of the program, from its first statement to its end for good. Only this file
 * and its source know the word capability. For set-user-id and file-capability installs
 * nothing of the caller's (arguments, environment, files, names) is read before
 * privilege_drop has returned; for real root, whose arguments are its own, they are read first.
 */
#ifndef FPING_BENCH_OS_PRIVILEGE_H
#define FPING_BENCH_OS_PRIVILEGE_H

#include "os/privilege_sockets.h"

struct privilege {
	bool is_root;        /* real user id 0: arguments are read before the drop */
	bool was_privileged; /* anything was there to drop */
	bool dropped;
	int raw[PRIVILEGE_SOCKETS];       /* -1 where not open */
	int raw_errno[PRIVILEGE_SOCKETS]; /* why not */
	uint64_t receive_bytes; /* what the run's replies take in a socket; 0: not known yet */
	bool buffers_forced; /* SO_RCVBUFFORCE worked: receive buffers are as large as asked */
	char note[200];      /* e.g. "user namespace has no other user to become"; "" for none */
};

/*
 * First statement of main. Makes sure descriptors 0 to 2 are open (a closed one becomes
 * /dev/null opened the wrong way round, so that using it still fails), clears the environment
 * when the program was started with more rights than its caller has, cuts the permitted
 * capabilities down to those that set-up can need and lowers all of them. Real root keeps its
 * rights to files raised until privilege_drop: the files that it names are opened as root.
 */
int privilege_begin(struct privilege *privilege, struct error *error) MUST_CHECK;

/*
 * Raises CAP_NET_RAW around socket() for the sockets of `wanted` (PRIVILEGE_BIT) and CAP_NET_ADMIN
 * around the forced buffer sizes (constants, and more where receive_bytes asks for it); a filter
 * that drops everything goes on at once, and stays for good on those that only send. Sockets that
 * cannot be had are -1 with their errno: whether that matters is known later. mark: sets SO_MARK
 * (real root only), NULL for none.
 */
int privilege_open_sockets(struct privilege *privilege, unsigned wanted, const uint32_t *mark,
			   struct error *error) MUST_CHECK;

/* Closes all sockets but the wanted ones: those that were opened before the wish was known. */
void privilege_keep_sockets(struct privilege *privilege, unsigned wanted);

/*
 * Gives up everything for good: groups and ids (real root becomes the user fping-bench, or
 * 65534), all capability sets, no_new_privs, dumpable 0; then tries to get each of them back
 * and fails (-ERROR_PERMISSION) if one attempt succeeds.
 */
int privilege_drop(struct privilege *privilege, struct error *error) MUST_CHECK;

/*
 * For the process that gives root's output files their names after the drop (output_file.h):
 * gives up all but the rights to files, for good, with no_new_privs and dumpable 0. The user id
 * stays.
 */
int privilege_keep_file_rights(struct error *error) MUST_CHECK;

/* Hands over a socket, -1 if there is none; later calls return -1. */
int privilege_take_socket(struct privilege *privilege, enum privilege_socket which);

/* Closes sockets that were not taken. */
void privilege_end(struct privilege *privilege);

#endif
