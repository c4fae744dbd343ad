#include <errno.h>
#include <pthread.h>
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
