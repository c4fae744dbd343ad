// Snapshots: the clocks that threads have released. A snapshot equals a thread's clock except for
// one count. Included by `CInterlockAnalysis/` only.
//
// A thread that releases many objects and learns of no other thread meanwhile, such as a thread
// that queues blocks, has the same clock at all these releases except for its own count. The
// objects share one snapshot of the clock, and each has the count beside it. A snapshot has room
// for the slots that existed when it was made.
#ifndef INTERLOCK_CLOCK_SNAPSHOT_H
#define INTERLOCK_CLOCK_SNAPSHOT_H

#include "vector_clock.h"

typedef struct clock_snapshot {
  /// The number of objects and threads that refer to the snapshot. An object that is the only user
  /// may change it.
  uint32_t users;
  /// The index of its size, which tells the number of counts for which it has room.
  uint32_t size;
  union {
    uint64_t counts[1];
    /// While it is free.
    struct clock_snapshot *next;
  };
} clock_snapshot;

/// Makes a snapshot with a number of users; NULL without memory.
clock_snapshot *interlock_clock_snapshot(const vector_clock *clock, uint32_t users) HIDDEN;
/// Removes a number of users from a snapshot; the last user frees it. Does nothing for NULL.
void interlock_clock_drop(clock_snapshot *snapshot, uint32_t users) HIDDEN;
/// Returns how many counts of a snapshot may differ from 0: a multiple of 4.
uint32_t interlock_clock_snapshot_width(const clock_snapshot *snapshot) HIDDEN;

/// True if the object that refers to a snapshot may change it.
static inline bool clock_is_only_user(const clock_snapshot *snapshot) {
  // Acquire: pairs with the release in `interlock_clock_drop`. The others' reads are over.
  return __atomic_load_n(&snapshot->users, __ATOMIC_ACQUIRE) == 1;
}

void interlock_clock_snapshots_forked(void) HIDDEN;

#endif
