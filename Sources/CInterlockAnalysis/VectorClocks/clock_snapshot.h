// The clocks that threads have released: each is as a thread's clock was, apart from one count. Not
// for users of the target.
//
// A thread that releases many objects and learns of no other thread meanwhile, such as one that
// queues blocks, has the same clock at all these releases but for its own count. The objects share
// one snapshot of the clock, and each has the count beside it. A snapshot has room for the slots
// that there were when it was made.
#ifndef INTERLOCK_CLOCK_SNAPSHOT_H
#define INTERLOCK_CLOCK_SNAPSHOT_H

#include "vector_clock.h"

typedef struct clock_snapshot {
  /// How many objects and threads refer to it. An object that is the only user may change it.
  uint32_t users;
  /// The number of its size, which tells how many counts it has room for.
  uint32_t size;
  union {
    uint64_t counts[1];
    /// While it is free.
    struct clock_snapshot *next;
  };
} clock_snapshot;

/// Makes a snapshot with a number of users; NULL without memory.
clock_snapshot *interlock_clock_snapshot(const vector_clock *clock, uint32_t users) HIDDEN;
/// Takes a number of users off a snapshot: the last one frees it. Does nothing for NULL.
void interlock_clock_drop(clock_snapshot *snapshot, uint32_t users) HIDDEN;
/// How many counts of a snapshot may differ from 0: a multiple of 4.
uint32_t interlock_clock_snapshot_width(const clock_snapshot *snapshot) HIDDEN;

/// Whether the object that refers to a snapshot may change it.
static inline bool clock_is_only_user(const clock_snapshot *snapshot) {
  // Acquire: pairs with the release in `interlock_clock_drop`. The others' reads are over.
  return __atomic_load_n(&snapshot->users, __ATOMIC_ACQUIRE) == 1;
}

void interlock_clock_snapshots_forked(void) HIDDEN;

#endif
