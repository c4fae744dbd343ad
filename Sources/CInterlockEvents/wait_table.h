// What the parts of the wait table share. Not for users of the target.
#ifndef INTERLOCK_WAIT_TABLE_H
#define INTERLOCK_WAIT_TABLE_H

#include "interpose.h"
#include "interlock_waits.h"

#ifdef INTERLOCK_INTERPOSES

#include <sched.h>

// A lock of a few instructions, for lists that change under it. Not a mutex: its calls are ours.
static inline void take(int *lock) {
  // Acquire and release: what one has changed, the next finds.
  for (int spins = 0; __atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE); spins++) {
    if (spins > 100) sched_yield();
  }
}
static inline void give(int *lock) { __atomic_store_n(lock, 0, __ATOMIC_RELEASE); }

/// From now on, something may be there that the table does not know of.
void interlock_note_partial(void) HIDDEN;

/// Where an address begins to be looked for in a table.
static inline size_t hash_of(uintptr_t object) {
  return (size_t)((object >> 4) * 0x9e3779b97f4a7c15ull >> 40);
}

// Objects (wait_objects.c).

void interlock_object_made(const interlock_event *event) HIDDEN;
void interlock_object_waited(const interlock_event *event) HIDDEN;
void interlock_object_released(const interlock_event *event) HIDDEN;
void interlock_object_entered(const interlock_event *event) HIDDEN;
/// What a thread does that has a semaphore, after a wait that was told of or at once. Whether it is one that begins at 1.
bool interlock_semaphore_acquired(const interlock_event *event, bool after_wait) HIDDEN;

/// As many semaphores as have been made: who remembers what one is asks whether there may be another at its address.
extern uint32_t interlock_semaphores_made HIDDEN;
/// The last semaphore that this thread took as a lock, and how many semaphores there had been.
typedef struct {
  uintptr_t object;
  uint32_t made;
} interlock_known_lock;
extern __thread interlock_known_lock interlock_last_lock
    __attribute__((tls_model("initial-exec"))) HIDDEN;

static inline bool interlock_is_last_lock(uintptr_t semaphore) {
  // Relaxed: see where they are counted.
  return interlock_last_lock.object == semaphore &&
         interlock_last_lock.made == __atomic_load_n(&interlock_semaphores_made, __ATOMIC_RELAXED);
}

// Queues (wait_queues.c).

/// Learns where a queue has its target and its width; before anything else here.
void interlock_queues_learn(void) HIDDEN;
void interlock_queue_made(const interlock_event *event) HIDDEN;
void interlock_queue_called(uintptr_t queue) HIDDEN;
void interlock_queue_configured(const interlock_event *event) HIDDEN;
void interlock_item_listed(interlock_item *item) HIDDEN;
void interlock_item_unlisted(interlock_item *item) HIDDEN;
/// The root that a queue's work runs on, and how many of its blocks run at once; 0 where that cannot be told. The queue
/// must be alive.
uintptr_t interlock_queue_root(uintptr_t queue) HIDDEN;
uint32_t interlock_queue_width(uintptr_t queue) HIDDEN;
/// Whether a synchronous call on `queue` by a thread that is in `run` waits for itself: both are on one queue, or one
/// of them ends at the other, a serial one.
bool interlock_is_same_exclusion(uintptr_t queue, const interlock_run *run, bool barrier) HIDDEN;

#endif
#endif
