// Waits with a given clock, which Swift does not import.
#define _GNU_SOURCE 1
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "sync_events_test.h"

int sync_events_wait_by_clock(sync_events_clock_call call, void *object, void *mutex,
                              const struct timespec *end) {
#ifdef __GLIBC__
  switch (call) {
    case SYNC_EVENTS_CLOCK_MUTEX: return pthread_mutex_clocklock(object, CLOCK_REALTIME, end);
    case SYNC_EVENTS_CLOCK_READ_LOCK:
      return pthread_rwlock_clockrdlock(object, CLOCK_REALTIME, end);
    case SYNC_EVENTS_CLOCK_WRITE_LOCK:
      return pthread_rwlock_clockwrlock(object, CLOCK_REALTIME, end);
    case SYNC_EVENTS_CLOCK_CONDITION:
      return pthread_cond_clockwait(object, mutex, CLOCK_REALTIME, end);
    case SYNC_EVENTS_CLOCK_SEMAPHORE: return sem_clockwait(object, CLOCK_REALTIME, end);
  }
#endif
  return -1;
}
