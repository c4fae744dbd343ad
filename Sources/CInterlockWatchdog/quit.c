// SIGQUIT requests a report, as a process of Java's does.
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "interlock_watchdog.h"

static bool is_requested;

static void request(int signal) {
  (void)signal;
  // Relaxed: the word refers to nothing else.
  __atomic_store_n(&is_requested, true, __ATOMIC_RELAXED);
}

/// The runtime's backtracer handles SIGQUIT as a crash, if its option is on.
static void (*runtimes_handler)(int, siginfo_t *, void *);

void interlock_watchdog_note_quit(void) {
  struct sigaction action;
  if (sigaction(SIGQUIT, NULL, &action) == 0 && action.sa_flags & SA_SIGINFO) {
    runtimes_handler = action.sa_sigaction;
  }
}

void interlock_watchdog_follow_quit(void) {
  struct sigaction action;
  if (sigaction(SIGQUIT, NULL, &action) != 0) return;
  bool is_free = action.sa_flags & SA_SIGINFO ? action.sa_sigaction == runtimes_handler
                                              : action.sa_handler == SIG_DFL;
  if (!is_free) return;
  memset(&action, 0, sizeof action);
  action.sa_handler = request;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGQUIT, &action, NULL);
}

bool interlock_watchdog_takes_quit(void) {
  // The parent may have blocked it, as Dispatch's workers do; the thread that asks takes it then.
  static bool is_unblocked;
  if (!is_unblocked) {
    is_unblocked = true;
    sigset_t quit;
    sigemptyset(&quit);
    sigaddset(&quit, SIGQUIT);
    pthread_sigmask(SIG_UNBLOCK, &quit, NULL);
  }
  return __atomic_exchange_n(&is_requested, false, __ATOMIC_RELAXED);
}
