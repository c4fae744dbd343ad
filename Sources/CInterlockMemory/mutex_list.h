// The Swift mutexes that the calling thread holds: no call shows the fast path of
// `Synchronization.Mutex`, but instrumented code shows its atomic operation. Not for users of the
// target.
#ifndef INTERLOCK_MUTEX_LIST_H
#define INTERLOCK_MUTEX_LIST_H

#include "shadow.h"

#ifdef INTERLOCK_INTERPOSES

enum { most_mutexes = 8 };

typedef struct {
  uintptr_t object, place;
} held_mutex;

typedef struct {
  uint32_t count;
  held_mutex held[most_mutexes];
} held_mutexes;
extern __thread held_mutexes interlock_mutexes __attribute__((tls_model("initial-exec"))) HIDDEN;

/// Called after a compare-exchange of 32 bits that has succeeded, and before one that may: true if
/// it locks, or unlocks, a mutex of the calling thread. Then its events are published.
bool interlock_mutex_is_locked(uintptr_t word, uint32_t before, uint32_t after,
                               uintptr_t place) HIDDEN;
bool interlock_mutex_unlocks(uintptr_t word, uint32_t before, uint32_t after,
                             uintptr_t place) HIDDEN;

#endif
#endif
