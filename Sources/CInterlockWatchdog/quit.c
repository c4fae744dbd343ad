// SIGQUIT requests a report, as in a Java process.
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "interlock_watchdog.h"

static bool is_requested;

static void request(int signal) {
  (void)signal;
  // Relaxed: the flag refers to no other data.
  __atomic_store_n(&is_requested, true, __ATOMIC_RELAXED);
}

#if defined(__linux__) && defined(__GLIBC__)
// glibc's own `sigaction`: the handler is not the program's, and ends no wait.
extern int __sigaction(int, const struct sigaction *, struct sigaction *);
#define own_sigaction __sigaction
#else
#define own_sigaction sigaction
#endif

/// How SIGQUIT is handled before main. The runtime's backtracer, if it is on, handles it as a
/// crash. A shell without job control makes a background process ignore it.
static struct sigaction before_main;

void interlock_watchdog_note_quit(void) { sigaction(SIGQUIT, NULL, &before_main); }

void interlock_watchdog_follow_quit(void) {
  struct sigaction action;
  if (sigaction(SIGQUIT, NULL, &action) != 0) return;
  // The union's other member has the same address.
  bool is_before_main = action.sa_handler == before_main.sa_handler;
  if (!is_before_main && action.sa_handler != SIG_DFL) return;
  memset(&action, 0, sizeof action);
  action.sa_handler = request;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  own_sigaction(SIGQUIT, &action, NULL);
}

bool interlock_watchdog_takes_quit(void) {
  // The parent may have blocked the signal, as Dispatch's workers do. The thread that asks for
  // requests then receives it.
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
