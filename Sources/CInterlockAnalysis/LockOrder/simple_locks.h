// The usual events of locks, which change the held list in one step. Included by
// `CInterlockAnalysis/` only.
#ifndef INTERLOCK_ORDER_SIMPLE_LOCKS_H
#define INTERLOCK_ORDER_SIMPLE_LOCKS_H

#include "Graph/order_reader.h"

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

/// Returns true if the thread does not hold a lock, and acquiring it under others shows no new
/// order. The actor on which the code runs is ignored: it would only exclude other orders, so the
/// chain without it suffices.
static inline bool interlock_shows_no_order(thread_record *own, uintptr_t object,
                                            uintptr_t place) {
  for (uint32_t index = 0; index < own->held.count; index++) {
    const held_lock *held = &own->held.locks[index];
    if (held->object == object && interlock_is_in_order(held)) return false;
  }
  held_lock wanted = {.object = object, .place = place};
  uint64_t hash = interlock_chain_hash(own, 0, &wanted);
  uint64_t known = *interlock_chain_slot(own, hash);
  return known == hash || (own->order.run_count == 0 && known == mix(hash, 0));
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

/// The same for a lock that a thread acquires while it holds others, in an order that is known.
static inline bool interlock_order_is_known(thread_record *own, interlock_event_kind kind,
                                            interlock_object_kind object_kind, uintptr_t object,
                                            uintptr_t place, uintptr_t frame) {
  if (kind != INTERLOCK_EVENT_ACQUIRE || !interlock_holds_any(own)) return false;
  if (own->held.counted[HELD_IN_ORDER] == INTERLOCK_HELD_MOST) return false;
  if (interlock_limits.hold_limit || own->order.wait_since) return false;
  if (interlock_is_outside(own)) {
    if (!interlock_main_knows(own, object)) return false;
    uintptr_t outer = interlock_events_outer(frame, place);
    if (interlock_main_lock(own, object)->acquisition !=
        interlock_main_acquisition(own, false, place, outer)) {
      return false;
    }
  }
  return interlock_is_plain_lock(own, object_kind, object) &&
         interlock_shows_no_order(own, object, place);
}

#endif
