#include <pthread.h>

#include "sync_events_test.h"

static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  int users;
  pthread_mutex_t lock;
} second = {0, PTHREAD_MUTEX_INITIALIZER};

void sync_events_static_locks(bool swapped) {
  pthread_mutex_t *outer = swapped ? &second.lock : &first_lock;
  pthread_mutex_t *inner = swapped ? &first_lock : &second.lock;
  pthread_mutex_lock(outer);
  pthread_mutex_lock(inner);
  pthread_mutex_unlock(inner);
  pthread_mutex_unlock(outer);
}

void sync_events_relock_static_lock(void) {
  pthread_mutex_lock(&first_lock);
  pthread_mutex_lock(&first_lock);
}
