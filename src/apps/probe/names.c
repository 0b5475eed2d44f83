/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Asking for a name may take half a minute and runs code that reads what strangers send. Both
 * are reasons to do it in a child: it can be ended at any moment, and it has closed the raw
 * sockets before it asks. It answers with records of a fixed size through a pipe, each written
 * in one piece (they are shorter than PIPE_BUF).
 */
#include "apps/probe/names.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apps/probe/shown.h"
#include "base/format.h"
#include "os/resolver.h"
#include "os/signals.h"

_Static_assert(sizeof(struct names_answer) <= PIPE_BUF, "an answer is written in one piece");

bool names_is_numeric(const char *name)
{
	char text[INET6_ADDRSTRLEN];
	size_t length = strcspn(name, "%");
	uint8_t bytes[16];

	if (length >= sizeof(text))
		return false;
	memcpy(text, name, length);
	text[length] = '\0';
	return inet_pton(AF_INET, text, bytes) == 1 || inet_pton(AF_INET6, text, bytes) == 1;
}

static void ask(const char *name, uint8_t family, uint32_t default_scope,
		struct names_answer *answer)
{
	struct error error;

	memset(answer, 0, sizeof(*answer));
	error_clear(&error);
	answer->code = resolver_resolve(name, family, default_scope, &answer->address, &error);
	(void)format_escape(error.text, strlen(error.text), answer->text, sizeof(answer->text));
}

/* The child: asks for all names in turn and writes the answers; does not return. */
static _Noreturn void answer_all(int pipe_end, const char *const *names, uint32_t count,
				 uint8_t family, uint32_t default_scope)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU};

	for (size_t i = 0; i < ARRAY_LENGTH(signals); i++)
		(void)signal(signals[i], SIG_DFL);
	for (uint32_t i = 0; i < count; i++) {
		struct names_answer answer;

		ask(names[i], family, default_scope, &answer);
		if (write(pipe_end, &answer, sizeof(answer)) != (ssize_t)sizeof(answer))
			_exit(1);
	}
	_exit(0);
}

/* Waits until the pipe has something: 1, or 0 when a stop was asked for. */
static int wait_for_answer(int pipe_end)
{
	struct pollfd events[2] = {
		{.fd = pipe_end, .events = POLLIN},
		{.fd = signals_wake_descriptor(), .events = POLLIN},
	};

	while (signals_stop_requested() == 0) {
		if (poll(events, 2, -1) < 0 && errno != EINTR)
			return 0;
		if (events[0].revents != 0)
			return 1;
		signals_drain();
	}
	return 0;
}

/* Reads answers until all are there, the child has gone, or a stop was asked for: how many. */
static uint32_t read_answers(int pipe_end, struct names_answer *answers, uint32_t count)
{
	uint32_t done = 0;
	size_t used = 0;

	while (done < count && wait_for_answer(pipe_end) != 0) {
		ssize_t got =
			read(pipe_end, (char *)&answers[done] + used, sizeof(*answers) - used);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		used += (size_t)got;
		if (used == sizeof(*answers)) {
			used = 0;
			done++;
		}
	}
	return done;
}

static int ask_by_child(const char *const *names, uint32_t count, uint8_t family,
			uint32_t default_scope, struct privilege *privilege,
			struct names_answer *answers, struct error *error)
{
	char buffer[SHOWN_LENGTH];
	int ends[2];
	uint32_t done;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return error_set_system(error, errno, "cannot ask for names: no pipe");
	child = fork();
	if (child == 0) {
		(void)close(ends[0]);
		privilege_end(privilege);
		answer_all(ends[1], names, count, family, default_scope);
	}
	(void)close(ends[1]);
	if (child < 0) {
		(void)close(ends[0]);
		return error_set_system(error, errno, "cannot ask for names: no process");
	}
	done = read_answers(ends[0], answers, count);
	(void)close(ends[0]);
	(void)kill(child, SIGKILL);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		continue;
	for (uint32_t i = done; i < count; i++) {
		memset(&answers[i], 0, sizeof(answers[i]));
		answers[i].code = -ERROR_NOT_FOUND;
		(void)snprintf(
			answers[i].text, sizeof(answers[i].text), "%s: %s", shown(names[i], buffer),
			signals_stop_requested() != 0 ? "stopped while its address was asked for"
						      : "its address could not be asked for");
	}
	return 0;
}

int names_resolve(const char *const *names, uint32_t count, uint8_t family, uint32_t default_scope,
		  struct privilege *privilege, struct names_answer *answers, struct error *error)
{
	bool all_numeric = true;

	for (uint32_t i = 0; i < count; i++)
		all_numeric = all_numeric && names_is_numeric(names[i]);
	if (!all_numeric)
		return ask_by_child(names, count, family, default_scope, privilege, answers, error);
	for (uint32_t i = 0; i < count; i++)
		ask(names[i], family, default_scope, &answers[i]);
	return 0;
}
