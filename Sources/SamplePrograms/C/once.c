// `dispatch_once`: how C and Objective-C libraries make their shared instances.
#include "sample_programs.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

// Declared here: the location of <dispatch/dispatch.h> depends on the toolchain.
extern void dispatch_once(intptr_t *predicate, void (^block)(void));
extern void dispatch_once_f(intptr_t *predicate, void *context, void (*function)(void *));

static int default_limit(void);

static int shared_limit(void) {
  static intptr_t once;
  static int limit;
  dispatch_once(&once, ^{
    limit = default_limit();
  });
  return limit;
}

static int default_limit(void) { return shared_limit() / 2; }

void hang_dispatch_once_uses_itself(void) { shared_limit(); }

static pthread_mutex_t store_lock = PTHREAD_MUTEX_INITIALIZER;
/// Both threads wait here for each other, so that they always collide.
static pthread_barrier_t meeting;
static intptr_t store_once;
static int store_size;

static void make_store(void *size) {
  pthread_barrier_wait(&meeting);
  pthread_mutex_lock(&store_lock);
  store_size = *(int *)size;
  pthread_mutex_unlock(&store_lock);
}

static void *use_store(void *unused) {
  (void)unused;
  int size = 1;
  dispatch_once_f(&store_once, &size, make_store);
  return NULL;
}

static void *change_store(void *unused) {
  (void)unused;
  pthread_mutex_lock(&store_lock);
  pthread_barrier_wait(&meeting);
  use_store(NULL);
  pthread_mutex_unlock(&store_lock);
  return NULL;
}

void hang_dispatch_once_and_lock_crossed(void) {
  pthread_t changer;
  pthread_barrier_init(&meeting, NULL, 2);
  if (pthread_create(&changer, NULL, change_store, NULL) != 0) return;
  use_store(NULL);
  pthread_join(changer, NULL);
}

static void take_a_second(void *made) {
  nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
  *(int *)made = 1;
}

static void *use_slow_store(void *unused) {
  (void)unused;
  static intptr_t once;
  static int made;
  dispatch_once_f(&once, &made, take_a_second);
  return made ? &made : NULL;
}

void hang_dispatch_once_takes_a_second(void) {
  enum { count = 50 };
  pthread_t users[count];
  int started = 0;
  while (started < count && pthread_create(&users[started], NULL, use_slow_store, NULL) == 0) {
    started++;
  }
  for (int index = 0; index < started; index++) {
    void *made = NULL;
    pthread_join(users[index], &made);
    if (!made) __builtin_trap();
  }
}
