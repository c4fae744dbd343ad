#include "hostile.h"

#if defined(__linux__)

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

// Actions that start processes which the end of the subject's own process does not reach.

static void hang(int argument) {
  (void)argument;
  hostile_hang();
}

static void start_in_group(int count) {
  for (int index = 0; index < count; index++)
    if (fork() == 0) hostile_hang();
}

static void start_sessions(int count) {
  for (int index = 0; index < count; index++) hostile_in_new_session(hang, 0);
}

static void fork_again(int argument) { hostile_in_new_session(hang, argument); }

/// Starts a daemon: its parent and the leader of its session have ended.
static void start_daemon(int argument) { hostile_in_new_session(fork_again, argument); }

/// Continues for ever as its own child in a new session, so no process lives for long.
static void run_away(int argument) {
  (void)argument;
  for (;;) {
    pid_t next = fork();
    if (next > 0) _exit(0);
    if (next < 0) usleep(1000);
  }
}

static void start_fugitive(int argument) { hostile_in_new_session(run_away, argument); }

/// Restarts the other process when that is killed: two processes watch each other.
static void restart(int depth) {
  signal(SIGCHLD, SIG_IGN);
  for (;;) {
    pid_t process = fork();
    if (process == 0) {
      prctl(PR_SET_PDEATHSIG, 0);
      if (depth > 0) {
        setsid();
        restart(depth - 1);
      }
      hostile_hang();
    }
    usleep(20000);
    if (kill(process, 0) == 0) pause();
  }
}

static void start_restarter(int argument) { hostile_in_new_session(restart, argument); }

static void bomb(int width) {
  for (int index = 0; index < width; index++)
    if (fork() == 0) {
      // At most 2 to the power of seven.
      if (index % 2 == 0) setsid();
      width = width > 7 ? 7 : width;
    }
  hostile_hang();
}

static void hold_pipes(int argument) {
  (void)argument;
  // These descriptors are closed only on exec.
  for (int number = 0; number < 5; number++) fcntl(number, F_SETFD, 0);
  hostile_hang();
}

static void leave_pipes_open(int argument) {
  hostile_in_new_session(hold_pipes, argument);
  _exit(0);
}

static void start_ignorer(int argument) {
  (void)argument;
  for (int number = 1; number < 65; number++) signal(number, SIG_IGN);
  hostile_in_new_session(hang, 0);
}

static void hide_in_namespace(int argument) {
  if (unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) _exit(0);
  if (fork() == 0) {
    hostile_in_new_session(hang, 0);
    hostile_hang();
  }
  hang(argument);
}

static void start_hidden(int argument) { hostile_in_new_session(hide_in_namespace, argument); }

static void hang_in_vfork(int argument) {
  (void)argument;
  if (vfork() == 0) hostile_hang();
}

static void join_runner_group(int argument) {
  (void)argument;
  setpgid(0, getpgid(getppid()));
  if (fork() == 0) hostile_hang();
  hostile_hang();
}

static void rename_itself(int argument) {
  (void)argument;
  prctl(PR_SET_NAME, ") R 1 1 (\n%s");
  start_in_group(1);
}

static void outlive_parent(int argument) {
  (void)argument;
  prctl(PR_SET_PDEATHSIG, 0);
  prctl(PR_SET_DUMPABLE, 0);
  start_sessions(1);
  hostile_hang();
}

static void adopt_orphans(int argument) {
  (void)argument;
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  start_daemon(0);
  hostile_hang();
}

static void stop_others(int argument) {
  (void)argument;
  kill(0, SIGSTOP);
  hostile_hang();
}

const hostile_action hostile_processes[] = {
    {"leaves-child", start_in_group, 1},
    {"leaves-40-children", start_in_group, 40},
    {"leaves-session", start_sessions, 1},
    {"leaves-20-sessions", start_sessions, 20},
    {"leaves-daemon", start_daemon, 0},
    {"leaves-fugitive", start_fugitive, 0},
    {"leaves-restarter", start_restarter, 2},
    {"leaves-ignorer", start_ignorer, 0},
    {"leaves-namespace", start_hidden, 0},
    {"fork-bomb", bomb, 7},
    {"pipes-stay-open", leave_pipes_open, 0},
    {"hangs-in-vfork", hang_in_vfork, 0},
    {"joins-runners-group", join_runner_group, 0},
    {"renames-itself", rename_itself, 0},
    {"outlives-runner", outlive_parent, 0},
    {"adopts-orphans", adopt_orphans, 0},
    {"stops-its-group", stop_others, 0},
    {NULL, NULL, 0},
};

#endif
