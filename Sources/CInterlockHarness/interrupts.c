#include "interlock_interrupts.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

// In C because it runs in a signal handler.

static volatile sig_atomic_t interrupted;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int depth;
static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { SIGNALS = sizeof signals / sizeof signals[0] };
static struct sigaction before[SIGNALS];
static _Thread_local sigset_t mask_before;

static void note(int signal) {
  (void)signal;
  interrupted = 1;
}

static void take_over(int signal, struct sigaction *previous) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = note;
  sigemptyset(&action.sa_mask);
  sigaction(signal, NULL, previous);
  // Keep ignored signals: a shell makes a background command ignore SIGINT, and `nohup` SIGHUP.
  if (previous->sa_handler != SIG_IGN) sigaction(signal, &action, NULL);
}

void interlock_interrupts_begin(void) {
  // The parent process may have blocked them, and the mask is inherited.
  sigset_t all;
  sigemptyset(&all);
  for (int index = 0; index < SIGNALS; index++) sigaddset(&all, signals[index]);
  pthread_sigmask(SIG_UNBLOCK, &all, &mask_before);
  pthread_mutex_lock(&lock);
  if (depth++ == 0) {
    interrupted = 0;
    for (int index = 0; index < SIGNALS; index++) take_over(signals[index], &before[index]);
  }
  pthread_mutex_unlock(&lock);
}

void interlock_interrupts_end(void) {
  pthread_sigmask(SIG_SETMASK, &mask_before, NULL);
  pthread_mutex_lock(&lock);
  if (--depth == 0) {
    for (int index = 0; index < SIGNALS; index++) sigaction(signals[index], &before[index], NULL);
  }
  pthread_mutex_unlock(&lock);
}

bool interlock_interrupted(void) { return interrupted != 0; }
