#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "sync_events_test.h"

static sem_t posted;
static pthread_mutex_t tried = PTHREAD_MUTEX_INITIALIZER, locked = PTHREAD_MUTEX_INITIALIZER;
static volatile long posts, changed_errors;

static void interrupt(int signal) {
  (void)signal;
  int error = errno;
  errno = 4711;
  sem_post(&posted);
  posts++;
  if (pthread_mutex_trylock(&tried) == 0) pthread_mutex_unlock(&tried);
  if (errno != 4711) changed_errors++;
  errno = error;
}

static pthread_mutex_t in_handler = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_t target;
static long handled, wanted;

static void lock_in_handler(int signal) {
  (void)signal;
  sem_post(&posted);
  pthread_mutex_lock(&in_handler);
  pthread_mutex_unlock(&in_handler);
  __atomic_add_fetch(&handled, 1, __ATOMIC_RELAXED);
}

static void *send_signals(void *unused) {
  (void)unused;
  for (long sent = 0; sent < wanted; sent++) {
    pthread_kill(target, SIGUSR1);
    while (__atomic_load_n(&handled, __ATOMIC_RELAXED) <= sent) sched_yield();
  }
  return NULL;
}

long sync_events_signals(long count) {
  sem_init(&posted, 0, 0);
  target = pthread_self();
  wanted = count;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = lock_in_handler;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, NULL);
  sync_events_unblock(SIGUSR1);
  pthread_t sender;
  pthread_create(&sender, NULL, send_signals, NULL);
  long taken = 0;
  while (__atomic_load_n(&handled, __ATOMIC_RELAXED) < count) {
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&inner);
    // Not the last one acquired: the entry behind it moves.
    pthread_mutex_unlock(&outer);
    pthread_mutex_unlock(&inner);
    if (sem_trywait(&posted) == 0) taken++;
  }
  pthread_join(sender, NULL);
  while (sem_trywait(&posted) == 0) taken++;
  return handled - taken;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/// The process's parent may have blocked it, as Dispatch's workers do.
void sync_events_unblock(int signal) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, signal);
  pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}

void sync_events_end_in(unsigned seconds) {
  sync_events_unblock(SIGALRM);
  alarm(seconds);
}

long sync_events_signal_storm(double seconds, long interval) {
  sem_t own;
  sem_init(&own, 0, 0);
  sem_init(&posted, 0, 0);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = interrupt;
  sigaction(SIGALRM, &action, NULL);
  sync_events_unblock(SIGALRM);
  struct itimerval every = {{0, interval}, {0, interval}};
  setitimer(ITIMER_REAL, &every, NULL);
  long taken = 0;
  for (double end = now() + seconds; now() < end;) {
    for (int round = 0; round < 100; round++) {
      pthread_mutex_lock(&locked);
      pthread_mutex_unlock(&locked);
      sem_post(&own);
      while (sem_wait(&own) != 0) {
        if (errno != EINTR) return -2;
      }
      if (sem_trywait(&posted) == 0) taken++;
    }
  }
  memset(&every, 0, sizeof every);
  setitimer(ITIMER_REAL, &every, NULL);
  while (sem_trywait(&posted) == 0) taken++;
  if (posts == 0) return -1;
  return changed_errors ? -3 : posts - taken;
}
