// What most events of locks do to what a thread holds, in one step. Not for users of the target.
#ifndef INTERLOCK_ORDER_SIMPLE_LOCKS_H
#define INTERLOCK_ORDER_SIMPLE_LOCKS_H

#include "order_reader.h"

/// Returns true if it is a lock for certain, without a look at the tables.
static inline bool interlock_is_plain_lock(const order_record *state,
                                           interlock_object_kind kind, uintptr_t object) {
  if (kind == INTERLOCK_OBJECT_MUTEX) return true;
  return kind == INTERLOCK_OBJECT_SEMAPHORE && state->semaphore == object &&
         state->semaphore_is_lock && state->semaphore_was_given_back &&
         // Relaxed: see where it is counted.
         state->semaphores_made == __atomic_load_n(&interlock_locks_changed, __ATOMIC_RELAXED);
}

/// Returns true if an event of a mutex or a semaphore is one that `interlock_order_note_lock` can
/// note: a thread that holds nothing acquires a lock, or a thread releases what it acquired last.
static inline bool interlock_order_is_simple(const order_record *state, interlock_event_kind kind,
                                             interlock_object_kind object_kind,
                                             uintptr_t object) {
  uint32_t count = state->held_count;
  if (interlock_limits.hold_limit) return false;
  if (kind == INTERLOCK_EVENT_RELEASE) {
    const held_lock *last = &state->held[count - 1];
    if (count == 0 || last->object != object || last->count != 1) return false;
  } else if (kind != INTERLOCK_EVENT_ACQUIRE || count > 0 || state->wait_since) {
    return false;
  }
  return interlock_is_plain_lock(state, object_kind, object);
}

static inline void interlock_order_note_lock(order_record *state, interlock_event_kind kind,
                                             interlock_object_kind object_kind, uintptr_t object,
                                             uintptr_t place, uintptr_t outer) {
  if (kind == INTERLOCK_EVENT_RELEASE) {
    state->held_count--;
    return;
  }
  state->held[0] = (held_lock){.object = object,
                               .place = place,
                               .outer = outer,
                               .count = 1,
                               .run = (uint16_t)innermost_run(state),
                               .kind = (uint8_t)object_kind};
  state->held_count = 1;
  state->wait_kind = 0;
}

#endif
