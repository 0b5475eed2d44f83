/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The handlers and their flags: the only state of the program that is global, since a handler
 * gets no context. They set a flag and write one byte; what it means is decided by whoever reads
 * the flag. The one exception is the second SIGINT or SIGTERM: it must work even if the program
 * no longer reads its flags, so it ends the process from within the handler.
 *
 * The umask is the caller's and stays so: the only files made are those that the caller names, and
 * they are to have the mode that the caller's other files have.
 */
#include "os/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#define STATUS_INTERRUPTED 130

static volatile sig_atomic_t stop_signal;
static volatile sig_atomic_t interruptions;
static volatile sig_atomic_t status_requested;
static volatile sig_atomic_t was_continued;
static int wake_pipe[2] = {-1, -1};

void signals_reset(void)
{
	const struct itimerval never = {{0, 0}, {0, 0}};
	sigset_t none;

	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)setitimer(ITIMER_REAL, &never, NULL); /* alarm(2) is the same timer */
	(void)setitimer(ITIMER_VIRTUAL, &never, NULL);
	(void)setitimer(ITIMER_PROF, &never, NULL);
	/* A full disk or a closed pipe must be an error of the write, not the end of the report. */
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);
	/* Ignored by the caller, it would make the wait for a child fail. */
	(void)signal(SIGCHLD, SIG_DFL);
}

/* The pipe never blocks; when it is full, it is readable already. */
static void wake(void)
{
	const char byte = 0;
	ssize_t written = write(wake_pipe[1], &byte, 1);

	(void)written;
}

static void on_stop(int number)
{
	int saved_errno = errno;

	if (number == SIGINT || number == SIGTERM) {
		if (interruptions != 0)
			_exit(STATUS_INTERRUPTED);
		interruptions = 1;
	}
	if (stop_signal == 0)
		stop_signal = number;
	wake();
	errno = saved_errno;
}

static void on_status(int number)
{
	int saved_errno = errno;

	(void)number;
	status_requested = 1;
	wake();
	errno = saved_errno;
}

static void on_continue(int number)
{
	int saved_errno = errno;

	(void)number;
	was_continued = 1;
	wake();
	errno = saved_errno;
}

/*
 * SA_RESTART: a report must not lose a write to a slow terminal because the window was resized or
 * a status asked for; ppoll ends at a signal all the same.
 */
static int install(int number, void (*handler)(int), bool unless_ignored, struct error *error)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
	struct sigaction inherited;

	(void)sigemptyset(&action.sa_mask);
	if (sigaction(number, NULL, &inherited) != 0)
		return error_set_system(error, errno, "cannot look at signal %d", number);
	if (unless_ignored && inherited.sa_handler == SIG_IGN)
		return 0;
	if (sigaction(number, &action, NULL) != 0)
		return error_set_system(error, errno, "cannot handle signal %d", number);
	return 0;
}

int signals_install(struct error *error)
{
	static const struct {
		void (*handler)(int);
		int number;
		bool unless_ignored; /* nohup, or started in the background by a script */
	} rows[] = {
		{on_stop, SIGINT, true},    {on_stop, SIGTERM, true},  {on_stop, SIGHUP, true},
		{on_status, SIGQUIT, true}, {on_stop, SIGXCPU, false},
		{on_continue, SIGCONT, false},
	};

	if (wake_pipe[0] < 0 && pipe2(wake_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
		return error_set_system(error, errno, "cannot make a pipe for signals");
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		int result = install(rows[i].number, rows[i].handler, rows[i].unless_ignored,
				     error);

		if (result < 0)
			return result;
	}
	return 0;
}

void signals_request_stop(void)
{
	if (stop_signal == 0)
		stop_signal = SIGTERM;
}

int signals_stop_requested(void)
{
	return (int)stop_signal;
}

bool signals_take_status_request(void)
{
	if (status_requested == 0)
		return false;
	status_requested = 0;
	return true;
}

bool signals_take_continued(void)
{
	if (was_continued == 0)
		return false;
	was_continued = 0;
	return true;
}

int signals_wake_descriptor(void)
{
	return wake_pipe[0];
}

void signals_drain(void)
{
	char bytes[64];

	if (wake_pipe[0] < 0)
		return;
	while (read(wake_pipe[0], bytes, sizeof(bytes)) == (ssize_t)sizeof(bytes))
		continue;
}
