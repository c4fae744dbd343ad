// The Swift mutexes that the calling thread holds. No call shows the fast path of
// `Synchronization.Mutex`, but instrumented code shows its atomic operation. Included by
// `CInterlockMemory/` only.
#ifndef INTERLOCK_MUTEX_LIST_H
#define INTERLOCK_MUTEX_LIST_H

#include "interlock_code.h"
#include "interlock_performer.h"
#include "../shadow.h"

#ifdef INTERLOCK_INTERPOSES

/// Calls the explorer, if the calling thread is explored.
static inline interlock_mutex_use interlock_mutex_asks(interlock_mutex_use use, uint32_t *word,
                                                       uintptr_t place) {
  bool asks = __builtin_expect(interlock_marks.controlled, 0) && interlock_explored_mutex_asks;
  return asks ? interlock_explored_mutex_asks(use, word, place) : INTERLOCK_MUTEX_NONE;
}

/// The bits of a mutex's word that hold its holder's number.
enum { holder_bits = 0x3fffffff };

enum { most_mutexes = 8 };

typedef struct {
  uintptr_t object, place;
} held_mutex;

typedef struct {
  uint32_t count;
  held_mutex held[most_mutexes];
} held_mutexes;
extern __thread held_mutexes interlock_mutexes __attribute__((tls_model("initial-exec"))) HIDDEN;

/// Called after a compare-exchange of 32 bits that has succeeded, and before one that may succeed.
/// Return true if it locks, or unlocks, a mutex of the calling thread; the events are then
/// published.
bool interlock_mutex_is_locked(uintptr_t word, uint32_t before, uint32_t after,
                               uintptr_t place) HIDDEN;
bool interlock_mutex_unlocks(uintptr_t word, uint32_t before, uint32_t after,
                             uintptr_t place) HIDDEN;

/// Called when the thread unlocks a mutex by the slow path. Publishes the unlock unless it was
/// published before.
void interlock_mutex_unlock_with_waiters(uint32_t *word, bool is_new, uintptr_t place) HIDDEN;

/// Called when a mutex is unlocked that the thread had locked unseen: orders the thread after the
/// earlier holders, and the later holders after the thread.
void interlock_mutex_was_locked_unseen(uintptr_t word) HIDDEN;
/// Called when a mutex is locked whose last unlock was not seen: orders the thread after
/// everything.
void interlock_mutex_was_unlocked_unseen(void) HIDDEN;
/// Records whether the calling thread holds a mutex, which it has just locked or is about to
/// unlock.
void interlock_mutex_note_holder(uintptr_t word, bool holds) HIDDEN;

#endif
#endif
