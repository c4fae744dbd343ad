// The usual events of locks, which change the held list in one step. Not for users of the target.
#ifndef INTERLOCK_ORDER_SIMPLE_LOCKS_H
#define INTERLOCK_ORDER_SIMPLE_LOCKS_H

#include "order_reader.h"

/// Returns true if the thread's record alone shows that an object is a lock, without the tables.
static inline bool interlock_is_plain_lock(const thread_record *own, interlock_object_kind kind,
                                           uintptr_t object) {
  const order_record *order = &own->order;
  if (kind == INTERLOCK_OBJECT_MUTEX) return true;
  return kind == INTERLOCK_OBJECT_SEMAPHORE && order->semaphore == object &&
         order->semaphore_is_lock && order->semaphore_was_given_back &&
         // Relaxed: see `interlock_lock_made`.
         order->semaphores_made == __atomic_load_n(&interlock_locks_changed, __ATOMIC_RELAXED);
}

/// Returns true if an event of a mutex or a semaphore changes nothing but the held list, for the
/// lock order: a thread that holds nothing acquires a lock, or a thread releases one that it holds.
static inline bool interlock_order_is_simple(const thread_record *own, interlock_event_kind kind,
                                             interlock_object_kind object_kind,
                                             uintptr_t object) {
  if (interlock_limits.hold_limit) return false;
  if (kind == INTERLOCK_EVENT_ACQUIRE && (interlock_holds_any(own) || own->order.wait_since)) {
    return false;
  }
  if (kind == INTERLOCK_EVENT_ACQUIRE && interlock_is_outside(own) &&
      !interlock_main_knows(own, object)) {
    return false;
  }
  return interlock_is_plain_lock(own, object_kind, object);
}

#endif
