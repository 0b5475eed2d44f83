/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rights that the program starts with, and how it gets rid of them. One file, so that it can
 * be read as a whole: nothing else in the program may call libcap or change an id, and a raw
 * socket is opened by privilege_sockets.c alone, while this file holds the right to. The order
 * matters and is the point:
 *
 *   begin   permitted set cut down, nothing raised; no_new_privs, dumpable 0; environment,
 *           descriptors 0-2
 *   open    CAP_NET_RAW raised around socket() alone, a filter that drops everything goes on,
 *           CAP_NET_ADMIN raised around the buffer sizes (constants: no input has been read)
 *   drop    groups and ids, dumpable 0 again, securebits and bounding set where permitted, all
 *           capability sets; then it is tried to get each of them back
 *
 * A raw socket lets its holder forge packets of any protocol, also without a capability. So the
 * socket itself is what has to be guarded afterwards: dumpable 0 keeps other processes of the same
 * user from taking it (pidfd_getfd, ptrace), and is never set back.
 *
 * What was not had is not missed: without CAP_NET_RAW the sockets are simply not there, and the
 * caller falls back. But a right that is there and cannot be given up ends the run.
 */
#include "os/privilege.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define BIT(capability) (UINT64_C(1) << (capability))

#define IDENTITY_RIGHTS (BIT(CAP_SETUID) | BIT(CAP_SETGID))
/* SO_MARK asks for one of the two, depending on the kernel. */
#define NETWORK_RIGHTS (BIT(CAP_NET_RAW) | BIT(CAP_NET_ADMIN))
/* What set-up can need. Everything else goes in privilege_begin. */
#define SETUP_RIGHTS (IDENTITY_RIGHTS | NETWORK_RIGHTS | BIT(CAP_SETPCAP))
/* What root needs in other users' directories, to open files there and to rename them. */
#define FILE_RIGHTS (BIT(CAP_DAC_OVERRIDE) | BIT(CAP_FOWNER))
#define ALL_RIGHTS (SETUP_RIGHTS | FILE_RIGHTS)

#define SERVICE_USER "fping-bench"
#define NOBODY 65534u
/* Inode of the user namespace that the machine started with (PROC_USER_INIT_INO, proc_ns.h). */
#define INITIAL_USER_NAMESPACE 0xEFFFFFFDu

struct identity {
	uid_t user;
	gid_t group;
	bool kept; /* root that could not become somebody else */
};

/*
 * The permitted set becomes what it is now within `keep`, the effective set what there is of
 * `raise` in that, the inheritable set (and so the ambient one) empty. had: receives what was
 * permitted before, NULL if that does not matter.
 */
static int set_rights(uint64_t keep, uint64_t raise, uint64_t *had, struct error *error)
{
	cap_t present = cap_get_proc(), wanted = cap_init();
	uint64_t permitted = 0;
	int failed = present == NULL || wanted == NULL;
	int result = 0;

	for (cap_value_t i = 0; i < cap_max_bits() && i < 64 && !failed; i++) {
		cap_flag_value_t value = CAP_CLEAR;

		failed = cap_get_flag(present, i, CAP_PERMITTED, &value);
		permitted |= value == CAP_SET ? BIT(i) : 0;
		if (!failed && (permitted & keep & BIT(i)) != 0)
			failed = cap_set_flag(wanted, CAP_PERMITTED, 1, &i, CAP_SET);
		if (!failed && (permitted & keep & raise & BIT(i)) != 0)
			failed = cap_set_flag(wanted, CAP_EFFECTIVE, 1, &i, CAP_SET);
	}
	if (!failed)
		failed = cap_set_proc(wanted);
	if (failed)
		result = error_set_system(error, errno, "cannot set the capabilities");
	(void)cap_free(present);
	(void)cap_free(wanted);
	if (had != NULL)
		*had = permitted;
	return result;
}

/* Such that no exec gains a right and no other process looks in. */
static int seal(struct error *error)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return error_set_system(error, errno, "cannot forbid new privileges");
	if (prctl(PR_SET_DUMPABLE, 0) != 0)
		return error_set_system(error, errno, "cannot forbid core dumps and tracing");
	return 0;
}

/* Descriptors 0 to 2 must be open before the first socket is, or it becomes standard output. */
static int open_standard_descriptors(struct error *error)
{
	for (int number = 0; number <= 2; number++) {
		if (fcntl(number, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY) != number)
			return error_set_system(error, errno, "descriptor %d is closed", number);
	}
	return 0;
}

int privilege_begin(struct privilege *privilege, struct error *error)
{
	bool is_root = getuid() == 0;
	bool other_ids = getuid() != geteuid() || getgid() != getegid();
	uint64_t rights = 0;
	int result;

	*privilege = (struct privilege){.is_root = is_root};
	for (size_t i = 0; i < PRIVILEGE_SOCKETS; i++)
		privilege->raw[i] = -1;
	/* Root has its file rights while it reads its own arguments; nobody else has. */
	result = set_rights(is_root ? ALL_RIGHTS : SETUP_RIGHTS, FILE_RIGHTS, &rights, error);
	if (result == 0)
		result = seal(error);
	if (result < 0)
		return result;
	privilege->was_privileged = other_ids || rights != 0;
	if ((other_ids || getauxval(AT_SECURE) != 0) && clearenv() != 0)
		return error_set(error, ERROR_SYSTEM, "cannot clear the environment");
	return open_standard_descriptors(error);
}

int privilege_open_sockets(struct privilege *privilege, unsigned wanted, const uint32_t *mark,
			   struct error *error)
{
	uint64_t rights = 0;
	bool has_socket = false;
	int result;

	if (mark != NULL && !privilege->is_root)
		return error_set(error, ERROR_PERMISSION, "only root may set a mark");
	result = set_rights(ALL_RIGHTS, BIT(CAP_NET_RAW), NULL, error);
	if (result == 0)
		result = privilege_sockets_open(privilege->raw, privilege->raw_errno, wanted,
						error);
	if (result == 0)
		result = set_rights(ALL_RIGHTS, FILE_RIGHTS, &rights, error);
	if (result < 0 || ((rights & BIT(CAP_NET_ADMIN)) == 0 && mark == NULL))
		return result;
	for (size_t i = 0; i < PRIVILEGE_SOCKETS; i++)
		has_socket = has_socket || privilege->raw[i] >= 0;
	if (mark != NULL && !has_socket)
		return error_set_system(error, privilege->raw_errno[PRIVILEGE_ICMP4],
					"a mark needs a raw socket, which cannot be opened");
	result = set_rights(ALL_RIGHTS, NETWORK_RIGHTS, NULL, error);
	if (result == 0)
		result = privilege_sockets_set_up(privilege->raw, privilege->receive_bytes, mark,
						  &privilege->buffers_forced, error);
	if (result == 0)
		result = set_rights(ALL_RIGHTS, FILE_RIGHTS, NULL, error);
	return result;
}

/* Whom this process becomes: its real user, or for real root a user without rights. */
static struct identity choose_identity(const struct privilege *privilege)
{
	const struct passwd *service;

	if (!privilege->is_root)
		return (struct identity){.user = getuid(), .group = getgid()};
	service = getpwnam(SERVICE_USER); /* NOLINT(concurrency-mt-unsafe): no thread exists yet */
	if (service != NULL && service->pw_uid != 0 && service->pw_gid != 0)
		return (struct identity){.user = service->pw_uid, .group = service->pw_gid};
	return (struct identity){.user = NOBODY, .group = NOBODY};
}

/*
 * Whether root may stay uid 0 if it cannot become somebody else. Yes in a user namespace, where
 * setgroups may be denied and no second user may be mapped, and where CAP_SETUID and CAP_SETGID
 * were never there (containers): no way to another user exists, and without capabilities uid 0
 * is a user like others. Everywhere else a failure means that something is wrong.
 */
static bool may_stay_root(uint64_t rights)
{
	struct stat namespace;

	if ((rights & IDENTITY_RIGHTS) != IDENTITY_RIGHTS)
		return true;
	return stat("/proc/self/ns/user", &namespace) == 0 &&
	       namespace.st_ino != INITIAL_USER_NAMESPACE;
}

/* Changes groups and ids; capabilities stay permitted until the caller is done with them. */
static int change_identity(struct privilege *privilege, struct identity *identity, uint64_t rights,
			   struct error *error)
{
	const char *step = NULL;

	if (prctl(PR_SET_KEEPCAPS, 1) != 0)
		return error_set_system(error, errno, "cannot prepare the change of user");
	/* A caller's own groups stay: its files may depend on them. Root's would be rights. */
	if (privilege->is_root && setgroups(0, NULL) != 0)
		step = "groups";
	else if (setresgid(identity->group, identity->group, identity->group) != 0)
		step = "group";
	else if (setresuid(identity->user, identity->user, identity->user) != 0)
		step = "user";
	if (step != NULL) {
		int failure = errno;

		if (!privilege->is_root || !may_stay_root(rights))
			return error_set_system(error, failure, "cannot give up the %s", step);
		identity->kept = true;
		identity->user = getuid();
		identity->group = getgid();
		(void)snprintf(privilege->note, sizeof(privilege->note),
			       "still user 0 without any capability: root cannot be another here "
			       "(a user namespace, or no CAP_SETUID and CAP_SETGID)");
	}
	if (prctl(PR_SET_KEEPCAPS, 0) != 0)
		return error_set_system(error, errno, "cannot end the change of user");
	return 0;
}

/* Tries to get back what was given up: says what could be had, NULL if nothing could. */
static const char *regained_identity(const struct privilege *privilege,
				     const struct identity *identity)
{
	uid_t user[3];
	gid_t group[3];

	if (getresuid(&user[0], &user[1], &user[2]) != 0 ||
	    getresgid(&group[0], &group[1], &group[2]) != 0)
		return "the user cannot be read";
	for (size_t i = 0; i < ARRAY_LENGTH(user); i++) {
		if (user[i] != identity->user || group[i] != identity->group)
			return "real, effective and saved user are not the same";
	}
	if (privilege->is_root && !identity->kept && getgroups(0, NULL) != 0)
		return "supplementary groups are left";
	if (identity->user != 0 && (setresuid((uid_t)-1, 0, (uid_t)-1) == 0 || setuid(0) == 0))
		return "user 0 could be taken again";
	if (identity->group != 0 && !identity->kept && setresgid((gid_t)-1, 0, (gid_t)-1) == 0)
		return "group 0 could be taken again";
	return NULL;
}

static const char *regained_capability(void)
{
	const char *found = NULL;
	cap_t present = cap_get_proc(), none = cap_init();

	if (present == NULL || none == NULL)
		found = "the capabilities cannot be read";
	else if (cap_compare(present, none) != 0)
		found = "capabilities are left";
	/* The first number that the kernel does not know ends the loop with an error. */
	for (cap_value_t i = 0, ambient = 0; found == NULL && ambient >= 0; i++) {
		ambient = cap_get_ambient(i);
		if (ambient > 0 || (ambient < 0 && i == 0))
			found = "capabilities could be passed on";
	}
	(void)cap_free(present);
	(void)cap_free(none);
	return found;
}

static int verify(const struct privilege *privilege, const struct identity *identity,
		  struct error *error)
{
	const char *found = regained_identity(privilege, identity);

	if (found == NULL)
		found = regained_capability();
	if (found == NULL && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		found = "new privileges could be gained";
	if (found == NULL && prctl(PR_GET_DUMPABLE) != 0)
		found = "other processes could read this one";
	if (found == NULL && prctl(PR_GET_KEEPCAPS) != 0)
		found = "capabilities would survive a change of user";
	if (found == NULL)
		found = privilege_sockets_regained();
	if (found != NULL)
		return error_set(error, ERROR_PERMISSION, "privileges are not given up: %s", found);
	return 0;
}

int privilege_drop(struct privilege *privilege, struct error *error)
{
	struct identity identity = choose_identity(privilege);
	uint64_t rights = 0;
	uint64_t raise = privilege->is_root ? IDENTITY_RIGHTS : 0;
	int result = set_rights(SETUP_RIGHTS, raise, &rights, error);

	if (result == 0)
		result = change_identity(privilege, &identity, rights, error);
	if (result == 0)
		result = seal(error); /* again: a change of ids sets dumpable to fs.suid_dumpable */
	if (result < 0)
		return result;
	/* Empties the bounding set, locks the securebits; a file capability does not allow it. */
	if ((rights & BIT(CAP_SETPCAP)) != 0 && cap_set_mode(CAP_MODE_NOPRIV) != 0)
		return error_set_system(error, errno, "cannot lock the capabilities away");
	result = set_rights(0, 0, NULL, error);
	if (result == 0)
		result = verify(privilege, &identity, error);
	privilege->dropped = result == 0;
	return result;
}

int privilege_keep_file_rights(struct error *error)
{
	int result = set_rights(FILE_RIGHTS, FILE_RIGHTS, NULL, error);

	return result == 0 ? seal(error) : result;
}

void privilege_keep_sockets(struct privilege *privilege, unsigned wanted)
{
	privilege_sockets_close(privilege->raw, wanted);
}

int privilege_take_socket(struct privilege *privilege, enum privilege_socket which)
{
	int descriptor = privilege->raw[which];

	privilege->raw[which] = -1;
	return descriptor;
}

void privilege_end(struct privilege *privilege)
{
	privilege_sockets_close(privilege->raw, 0);
}
