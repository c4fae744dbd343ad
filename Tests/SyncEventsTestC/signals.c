#define _GNU_SOURCE 1
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "interlock_waits.h"
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
static long handled;

static void lock_in_handler(int signal) {
  (void)signal;
  sem_post(&posted);
  pthread_mutex_lock(&in_handler);
  pthread_mutex_unlock(&in_handler);
  __atomic_add_fetch(&handled, 1, __ATOMIC_RELAXED);
}

/// Sends this thread a signal every 20 microseconds, at any instruction.
static timer_t start_signals(void) {
  timer_t timer;
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGUSR1;
  event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
  const struct itimerspec every = {{0, 20000}, {0, 20000}};
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  timer_settime(timer, 0, &every, NULL);
  return timer;
}

/// New locks, orders and semaphores, so that the signals find the analysis in its tables.
static void use_new_locks(void) {
  pthread_mutex_t made;
  sem_t semaphore;
  pthread_mutex_init(&made, NULL);
  pthread_mutex_lock(&outer);
  pthread_mutex_lock(&made);
  pthread_mutex_unlock(&made);
  pthread_mutex_unlock(&outer);
  pthread_mutex_destroy(&made);
  sem_init(&semaphore, 0, 0);
  sem_post(&semaphore);
  sem_trywait(&semaphore);
  sem_destroy(&semaphore);
}

long sync_events_signals(long count) {
  sem_init(&posted, 0, 0);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = lock_in_handler;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, NULL);
  sync_events_unblock(SIGUSR1);
  timer_t timer = start_signals();
  long taken = 0;
  while (__atomic_load_n(&handled, __ATOMIC_RELAXED) < count) {
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&inner);
    // Releases the outer lock first, so that the entry behind it moves.
    pthread_mutex_unlock(&outer);
    pthread_mutex_unlock(&inner);
    use_new_locks();
    if (sem_trywait(&posted) == 0) taken++;
  }
  timer_delete(timer);
  while (sem_trywait(&posted) == 0) taken++;
  return handled - taken;
}

long sync_events_unseen_signals(void) {
  interlock_object_view seen;
  return interlock_waits_object((uintptr_t)&posted, &seen) ? handled - (long)seen.releases : -1;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/// The process's parent may have blocked the signal, as Dispatch's workers do.
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

static void do_nothing(int signal) { (void)signal; }
static void do_nothing_with_info(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info, (void)context;
}

/// The results of the two functions for a program that sets one handler after another.
int sync_events_handlers_are_kept(void) {
  struct sigaction first, second, found;
  memset(&first, 0, sizeof first);
  first.sa_handler = do_nothing;
  first.sa_flags = SA_RESTART;
  sigaddset(&first.sa_mask, SIGUSR2);
  second = first;
  second.sa_sigaction = do_nothing_with_info;
  second.sa_flags = SA_SIGINFO | SA_NODEFER;
  if (sigaction(SIGUSR1, &first, NULL) || sigaction(SIGUSR1, &second, &found)) return 1;
  if (found.sa_handler != do_nothing || (found.sa_flags & SA_SIGINFO)) return 2;
  if (!(found.sa_flags & SA_RESTART) || !sigismember(&found.sa_mask, SIGUSR2)) return 3;
  if (sigaction(SIGUSR1, NULL, &found)) return 4;
  if (found.sa_sigaction != do_nothing_with_info || !(found.sa_flags & SA_SIGINFO)) return 5;
  if (signal(SIGUSR1, SIG_IGN) != (void (*)(int))do_nothing_with_info) return 6;
  if (signal(SIGUSR1, do_nothing) != SIG_IGN) return 7;
  if (sigaction(SIGUSR1, NULL, &found) || found.sa_handler != do_nothing) return 8;
  if (!(found.sa_flags & SA_RESTART) || (found.sa_flags & SA_SIGINFO)) return 9;
  if (sigaction(SIGKILL, &first, NULL) != -1 || errno != EINVAL) return 10;
  if (signal(SIGKILL, do_nothing) != SIG_ERR) return 11;
  first.sa_flags = SA_RESETHAND;
  if (sigaction(SIGUSR1, &first, NULL)) return 12;
  sync_events_unblock(SIGUSR1);
  raise(SIGUSR1);
  if (sigaction(SIGUSR1, NULL, &found) || found.sa_handler != SIG_DFL) return 13;
  return 0;
}
