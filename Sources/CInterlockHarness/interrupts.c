#include "interlock_interrupts.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "interlock_real_time_limit.h"

// In C because it runs in a signal handler.

// The signal may come to any thread, so everything that the handler reads and writes is atomic.
// Relaxed: each value is read alone, and a wrong pair of sender and signal only makes a warning
// less exact.
static bool interrupted;
static int refused;
static uint64_t sender_limit, own_limit;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int depth;
static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { SIGNALS = sizeof signals / sizeof signals[0] };
static struct sigaction before[SIGNALS], children_before;
static _Thread_local sigset_t mask_before;

/// Returns the limit of a process that a trial has started; 0 for any other process. A trial's
/// processes have special limits, at or above `lowest`.
static uint64_t limit_of_trial(int process) {
  const uint64_t lowest = (uint64_t)1 << 62;
  uint64_t limit = interlock_real_time_limit(process);
  return limit >= lowest && limit < __atomic_load_n(&own_limit, __ATOMIC_RELAXED) ? limit : 0;
}

static void note(int signal, siginfo_t *info, void *context) {
  (void)context;
  int error = errno;
  uint64_t limit = info->si_code == SI_USER ? limit_of_trial(info->si_pid) : 0;
  errno = error;
  if (limit == 0) {
    __atomic_store_n(&interrupted, true, __ATOMIC_RELAXED);
    return;
  }
  __atomic_store_n(&sender_limit, limit, __ATOMIC_RELAXED);
  __atomic_store_n(&refused, signal, __ATOMIC_RELAXED);
}

static void take_over(int signal, struct sigaction *previous) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = note;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaction(signal, NULL, previous);
  // Keep ignored signals: a shell makes a background command ignore SIGINT, and `nohup` SIGHUP.
  if (previous->sa_handler != SIG_IGN) sigaction(signal, &action, NULL);
}

/// Stops ignoring SIGCHLD, which a parent process that ignores it passes on to the programs that it
/// starts. The system would reap their children, and this process would learn no child's end.
static void keep_ended_children(void) {
  sigaction(SIGCHLD, NULL, &children_before);
  if (children_before.sa_handler != SIG_IGN && !(children_before.sa_flags & SA_NOCLDWAIT)) return;
  struct sigaction action = children_before;
  action.sa_flags &= ~SA_NOCLDWAIT;
  if (action.sa_handler == SIG_IGN) action.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &action, NULL);
}

void interlock_interrupts_begin(void) {
  // The parent process may have blocked these signals, and the mask is inherited.
  sigset_t all;
  sigemptyset(&all);
  for (int index = 0; index < SIGNALS; index++) sigaddset(&all, signals[index]);
  pthread_sigmask(SIG_UNBLOCK, &all, &mask_before);
  pthread_mutex_lock(&lock);
  if (depth++ == 0) {
    __atomic_store_n(&interrupted, false, __ATOMIC_RELAXED);
    __atomic_store_n(&refused, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&own_limit, interlock_real_time_limit(getpid()), __ATOMIC_RELAXED);
    keep_ended_children();
    for (int index = 0; index < SIGNALS; index++) take_over(signals[index], &before[index]);
  }
  pthread_mutex_unlock(&lock);
}

void interlock_interrupts_end(void) {
  pthread_sigmask(SIG_SETMASK, &mask_before, NULL);
  pthread_mutex_lock(&lock);
  if (--depth == 0) {
    for (int index = 0; index < SIGNALS; index++) sigaction(signals[index], &before[index], NULL);
    sigaction(SIGCHLD, &children_before, NULL);
  }
  pthread_mutex_unlock(&lock);
}

bool interlock_interrupted(void) { return __atomic_load_n(&interrupted, __ATOMIC_RELAXED); }

int interlock_refused_interrupt(uint64_t *limit) {
  // An exchange, because several runners may ask.
  int signal = __atomic_exchange_n(&refused, 0, __ATOMIC_RELAXED);
  *limit = __atomic_load_n(&sender_limit, __ATOMIC_RELAXED);
  return signal;
}
