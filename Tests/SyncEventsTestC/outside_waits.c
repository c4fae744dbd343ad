// Waits that no thread of the process ends: a timer's, a signal handler's, another process'.
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sync_events_test.h"

void sync_events_wait_for_own_timer(long nanoseconds) {
  int set = epoll_create1(EPOLL_CLOEXEC);
  int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  struct itimerspec when = {.it_value = {.tv_sec = nanoseconds / 1000000000,
                                         .tv_nsec = nanoseconds % 1000000000}};
  timerfd_settime(timer, 0, &when, NULL);
  struct epoll_event event = {.events = EPOLLIN};
  epoll_ctl(set, EPOLL_CTL_ADD, timer, &event);
  // Again if a signal ends the call, as the watchdog's does for a stack.
  while (epoll_wait(set, &event, 1, -1) != 1) {
  }
  close(timer);
  close(set);
}

static sem_t posted;

static void post(int signal) {
  (void)signal;
  sem_post(&posted);
}

/// Unblocked: the process' parent may have blocked the signal, as Dispatch's workers do.
static void set_alarm(unsigned seconds) {
  sigset_t alarms;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
  alarm(seconds);
}

void sync_events_wait_for_handler(unsigned seconds) {
  sem_init(&posted, 0, 0);
  signal(SIGALRM, post);
  set_alarm(seconds);
  while (sem_wait(&posted) != 0) {
  }
}

void sync_events_set_handlers_without_use(void) {
  signal(SIGPIPE, SIG_IGN);
  // A program that had a handler for a time.
  void (*before)(int) = signal(SIGALRM, post);
  signal(SIGALRM, before);
  // As a crash reporter does.
  signal(SIGSEGV, post);
  signal(SIGABRT, post);
}

/// Objects that this process shares with its child.
typedef struct {
  sem_t semaphore;
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  bool is_set;
} shared_objects;

static shared_objects *make_shared(void) {
  shared_objects *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  sem_init(&shared->semaphore, 1, 0);
  pthread_mutexattr_t of_mutex;
  pthread_mutexattr_init(&of_mutex);
  pthread_mutexattr_setpshared(&of_mutex, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&shared->mutex, &of_mutex);
  pthread_condattr_t of_condition;
  pthread_condattr_init(&of_condition);
  pthread_condattr_setpshared(&of_condition, PTHREAD_PROCESS_SHARED);
  pthread_cond_init(&shared->condition, &of_condition);
  return shared;
}

bool sync_events_wait_for_child(const char *what, unsigned seconds) {
  shared_objects *shared = make_shared();
  bool is_mutex = what[0] == 'm', is_condition = what[0] == 'c';
  pid_t child = fork();
  if (child == 0) {
    if (is_mutex) pthread_mutex_lock(&shared->mutex);
    sem_post(&shared->semaphore);
    struct timespec pause = {.tv_sec = seconds};
    nanosleep(&pause, NULL);
    if (is_mutex) {
      pthread_mutex_unlock(&shared->mutex);
    } else if (is_condition) {
      pthread_mutex_lock(&shared->mutex);
      shared->is_set = true;
      pthread_cond_signal(&shared->condition);
      pthread_mutex_unlock(&shared->mutex);
    } else {
      sem_post(&shared->semaphore);
    }
    _exit(0);
  }
  // The first post: the child runs, and has the mutex.
  sem_wait(&shared->semaphore);
  if (is_mutex || is_condition) {
    pthread_mutex_lock(&shared->mutex);
    while (is_condition && !shared->is_set) {
      pthread_cond_wait(&shared->condition, &shared->mutex);
    }
    pthread_mutex_unlock(&shared->mutex);
  } else {
    sem_wait(&shared->semaphore);
  }
  int status = -1;
  return waitpid(child, &status, 0) == child && status == 0;
}

/// Two locks, which two threads take in both orders.
static pthread_mutex_t *locks[2];
static pthread_barrier_t both;

static void *take_swapped(void *unused) {
  (void)unused;
  pthread_mutex_lock(locks[1]);
  pthread_barrier_wait(&both);
  pthread_mutex_lock(locks[0]);
  return NULL;
}

void sync_events_deadlock_in_shared_memory(void) {
  locks[0] = &make_shared()->mutex;
  locks[1] = &make_shared()->mutex;
  pthread_barrier_init(&both, NULL, 2);
  pthread_t other;
  pthread_create(&other, NULL, take_swapped, NULL);
  pthread_mutex_lock(locks[0]);
  pthread_barrier_wait(&both);
  pthread_mutex_lock(locks[1]);
}

void sync_events_wait_for_private_semaphore(void) {
  // In memory that no other process has, although it may be shared.
  sem_init(&posted, 1, 0);
  sem_wait(&posted);
}
