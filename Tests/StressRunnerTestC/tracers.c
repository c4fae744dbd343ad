#include "hostile.h"

#if defined(__linux__)

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Actions with a tracer: it sees the end of a process first, and may withhold it from the parent.

enum { RETURN, HANG, EXIT, STOP, DIE };

static void then(int what) {
  switch (what) {
  case RETURN: return;
  case EXIT: _exit(0);
  case STOP: raise(SIGSTOP); break;
  case DIE: raise(SIGKILL); break;
  default: break;
  }
  hostile_hang();
}

/// Makes the runner the tracer of the calling thread.
static void be_traced(int what) {
  ptrace(PTRACE_TRACEME, 0, NULL, NULL);
  then(what);
}

static int main_then;

static void on_main_thread(int signal) {
  (void)signal;
  be_traced(main_then);
}

static void main_thread_is_traced(int what) {
  main_then = what;
  struct sigaction action = {.sa_handler = on_main_thread};
  sigaction(SIGUSR2, &action, NULL);
  syscall(SYS_tgkill, getpid(), getpid(), SIGUSR2);
  hostile_hang();
}

static pid_t traced;

/// Traces the process with a stop at its end, and never waits for that stop.
static void seize(int options) {
  ptrace(PTRACE_SEIZE, traced, NULL, (void *)(uintptr_t)options);
  write(1, "s", 1);
  for (int number = 1; number < 32; number++) signal(number, SIG_IGN);
  hostile_hang();
}

static void attach(int argument) {
  (void)argument;
  ptrace(PTRACE_ATTACH, traced, NULL, NULL);
  hostile_hang();
}

static bool has_tracer(void) {
  FILE *status = fopen("/proc/self/status", "r");
  if (!status) return true;
  char line[256];
  int tracer = 0;
  while (fgets(line, sizeof line, status) && sscanf(line, "TracerPid: %d", &tracer) != 1) {
  }
  fclose(status);
  return tracer != 0;
}

static void tracer_outside(void (*trace)(int), int options, int what) {
  traced = getpid();
  hostile_in_new_session(trace, options);
  // Limited, because the system may forbid the trace.
  for (int count = 0; count < 5000 && !has_tracer(); count++) usleep(1000);
  then(what);
}

static void is_seized(int what) { tracer_outside(seize, 0, what); }
static void is_seized_with_exit_stop(int what) {
  tracer_outside(seize, PTRACE_O_TRACEEXIT, what);
}
static void is_attached(int what) { tracer_outside(attach, 0, what); }

/// Runs the tracer two sessions away, where its parent has ended.
static void seize_from_afar(int options) {
  hostile_in_new_session(seize, options);
}
static void is_seized_from_afar(int what) { tracer_outside(seize_from_afar, 0, what); }

const hostile_action hostile_tracers[] = {
    {"traced-by-runner", be_traced, RETURN},
    {"traced-by-runner-hangs", be_traced, HANG},
    {"traced-by-runner-exits", be_traced, EXIT},
    {"traced-by-runner-stops", be_traced, STOP},
    {"traced-by-runner-dies", be_traced, DIE},
    {"main-thread-traced", main_thread_is_traced, HANG},
    {"main-thread-traced-exits", main_thread_is_traced, EXIT},
    {"main-thread-traced-stops", main_thread_is_traced, STOP},
    {"seized", is_seized, RETURN},
    {"seized-hangs", is_seized, HANG},
    {"seized-exits", is_seized, EXIT},
    {"seized-dies", is_seized, DIE},
    {"seized-exit-stop", is_seized_with_exit_stop, HANG},
    {"seized-exit-stop-exits", is_seized_with_exit_stop, EXIT},
    {"seized-from-afar", is_seized_from_afar, HANG},
    {"seized-from-afar-exits", is_seized_from_afar, EXIT},
    {"attached", is_attached, HANG},
    {NULL, NULL, 0},
};

#endif
