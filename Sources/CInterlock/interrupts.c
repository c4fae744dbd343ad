#include "interlock_child.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

// In C because it runs in a signal handler.

static volatile sig_atomic_t interrupted;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int depth;
static struct sigaction before_interrupt, before_termination;
static _Thread_local sigset_t mask_before;

static void note(int signal) {
  (void)signal;
  interrupted = 1;
}

static void take_over(int signal, struct sigaction *before) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = note;
  sigemptyset(&action.sa_mask);
  sigaction(signal, NULL, before);
  // A shell that starts a command in the background has it ignore SIGINT: so it shall.
  if (before->sa_handler != SIG_IGN) sigaction(signal, &action, NULL);
}

void interlock_interrupts_begin(void) {
  // Whoever started this process may have had them blocked, and that is inherited.
  sigset_t both;
  sigemptyset(&both);
  sigaddset(&both, SIGINT);
  sigaddset(&both, SIGTERM);
  pthread_sigmask(SIG_UNBLOCK, &both, &mask_before);
  pthread_mutex_lock(&lock);
  if (depth++ == 0) {
    interrupted = 0;
    take_over(SIGINT, &before_interrupt);
    take_over(SIGTERM, &before_termination);
  }
  pthread_mutex_unlock(&lock);
}

void interlock_interrupts_end(void) {
  pthread_sigmask(SIG_SETMASK, &mask_before, NULL);
  pthread_mutex_lock(&lock);
  if (--depth == 0) {
    sigaction(SIGINT, &before_interrupt, NULL);
    sigaction(SIGTERM, &before_termination, NULL);
  }
  pthread_mutex_unlock(&lock);
}

bool interlock_interrupted(void) { return interrupted != 0; }
