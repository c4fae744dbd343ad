// The timer by which Dispatch lets its pools grow. Dispatch has one descriptor for each clock, and
// never closes it.
#include "interpose_dispatch.h"

#ifdef INTERLOCK_INTERPOSES

#include <time.h>

static int pool_timer = -1;

INTERPOSED int timerfd_create(int clock, int flags) {
  typedef int create(int, int);
  int file = REAL(create, timerfd_create)(clock, flags);
  if (file >= 0 && clock == CLOCK_MONOTONIC && interlock_is_dispatch(RETURNS_TO)) {
    // Relaxed: the number refers to no other memory. A reader that misses it sees a user's timer.
    __atomic_store_n(&pool_timer, file, __ATOMIC_RELAXED);
  }
  return file;
}

// Relaxed: see above.
int interlock_events_pool_timer(void) { return __atomic_load_n(&pool_timer, __ATOMIC_RELAXED); }

#else

int interlock_events_pool_timer(void) { return -1; }

#endif
