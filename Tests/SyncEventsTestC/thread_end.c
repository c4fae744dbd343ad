#include <pthread.h>

#include "sync_events_test.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t first_key, second_key;
static long locks;

static void take_lock(void) {
  pthread_mutex_lock(&lock);
  locks++;
  pthread_mutex_unlock(&lock);
}

/// Sets its value again, so that the C library calls it in each round of destructors.
static void lock_again(void *value) {
  take_lock();
  pthread_setspecific(first_key, value);
}

static void lock_once(void *value) {
  (void)value;
  take_lock();
}

static void *set_values(void *context) {
  pthread_setspecific(first_key, context);
  pthread_setspecific(second_key, context);
  return NULL;
}

long sync_events_locks_at_thread_end(int count) {
  static int value;
  pthread_key_create(&first_key, lock_again);
  pthread_key_create(&second_key, lock_once);
  for (int index = 0; index < count; index++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, set_values, &value) != 0) return -1;
    pthread_join(thread, NULL);
  }
  return locks;
}
