// The locks that a thread acquires and releases, as the lock order counts them.
#include "Graph/order_reader.h"

void interlock_hold(thread_record *own, held_lock lock) {
  if (interlock_limits.hold_limit) lock.since = interlock_coarse_now();
  lock.run = (uint16_t)innermost_run(own);
  if (add_held(&own->held, lock, HELD_IN_ORDER)) return;
  own->order.untracked++;
  interlock_losses.held = true;
}

void interlock_look_at_hold_time(thread_record *own, const held_lock *lock, uintptr_t place) {
  if (!interlock_limits.hold_limit || !lock->since || lock->kind == INTERLOCK_OBJECT_QUEUE) return;
  // Its calls tell no place.
  if (lock->kind == INTERLOCK_OBJECT_SPIN_LOCK) return;
  uint64_t held_for = interlock_coarse_now() - lock->since;
  if (held_for < interlock_limits.hold_limit) return;
  interlock_note_incident(own, INTERLOCK_INCIDENT_LONG_HOLD, lock->kind, lock->object, lock->place,
                          lock->outer, place, held_for);
}

void interlock_take_lock(thread_record *own, uintptr_t object, uint32_t kind, bool is_shared,
                         uint32_t flags, uintptr_t place, uintptr_t outer) {
  held_lock *known = interlock_find_held(own, object);
  // A try-lock or a timed lock cannot deadlock.
  bool waits = !(flags & (INTERLOCK_FLAG_TRIED | INTERLOCK_FLAG_TIME_LIMIT));
  if (known) {
    if (is_shared && known->is_shared && waits && interlock_prefers_writers(object)) {
      interlock_note_loop(own, *known, true, 0, place, outer);
    }
    if (hold_again(known, HELD_IN_ORDER)) return;
  }
  if (!known && kind == INTERLOCK_OBJECT_WRITE_LOCK && !is_shared && waits &&
      interlock_prefers_writers(object)) {
    held_lock target = {.object = object, .place = place, .outer = outer, .kind = (uint8_t)kind};
    interlock_note_loop(own, target, false, 0, place, outer);
  }
  if (!known && waits && interlock_is_outside(own)) {
    interlock_main_takes(own, object, kind, is_shared, place, outer);
  }
  if (!known && waits && interlock_holds_any(own)) {
    interlock_note_order(own, object, kind, is_shared, place, outer);
  }
  held_lock lock = {.object = object,
                    .place = place,
                    .outer = outer,
                    .counts = {[HELD_IN_ORDER] = 1},
                    .kind = (uint8_t)kind,
                    .is_shared = is_shared};
  interlock_hold(own, lock);
}

bool interlock_let_go(thread_record *own, uintptr_t object, uintptr_t place) {
  held_lock *known = interlock_find_held(own, object);
  if (!known || known->run == callers_run) {
    if (own->order.untracked > 0) own->order.untracked--;
    return false;
  }
  if (known->counts[HELD_IN_ORDER] > 1) {
    known->counts[HELD_IN_ORDER]--;
    return true;
  }
  interlock_look_at_hold_time(own, known, place);
  // The report of the time made no interposed call, so the entry is still in the same place.
  drop_held(&own->held, known, HELD_IN_ORDER);
  return true;
}
