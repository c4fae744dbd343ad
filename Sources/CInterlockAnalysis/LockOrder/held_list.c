// The list of what a thread holds.
#include "../thread_record.h"

#include <string.h>

void interlock_hold(order_record *state, held_lock lock) {
  if (state->held_count == INTERLOCK_HELD_LOCKS_MOST) {
    state->untold++;
    interlock_losses.held = true;
    return;
  }
  if (interlock_limits.hold_limit) lock.since = interlock_coarse_now();
  lock.run = (uint16_t)innermost_run(state);
  state->held[state->held_count++] = lock;
}

held_lock *interlock_find_held(order_record *state, uintptr_t object) {
  for (uint32_t index = state->held_count; index-- > 0;) {
    if (state->held[index].object == object) return &state->held[index];
  }
  return NULL;
}

void interlock_drop(order_record *state, const held_lock *lock) {
  uint32_t index = (uint32_t)(lock - state->held);
  state->held_count--;
  memmove(&state->held[index], &state->held[index + 1],
          (state->held_count - index) * sizeof *state->held);
}

void interlock_look_at_hold_time(order_record *state, const held_lock *lock, uintptr_t place) {
  if (!interlock_limits.hold_limit || !lock->since || lock->kind == INTERLOCK_OBJECT_QUEUE) return;
  uint64_t held_for = interlock_coarse_now() - lock->since;
  if (held_for < interlock_limits.hold_limit) return;
  interlock_note_incident(state, INTERLOCK_INCIDENT_LONG_HOLD, lock->kind, lock->object, lock->place,
                          lock->outer, place, held_for);
}

void interlock_take_lock(order_record *state, uintptr_t object, uint32_t kind, bool is_shared,
                         uint32_t flags, uintptr_t place, uintptr_t outer) {
  held_lock *known = interlock_find_held(state, object);
  // A try-lock or a timed lock cannot deadlock.
  bool waits = !(flags & (INTERLOCK_FLAG_TRIED | INTERLOCK_FLAG_TIME_LIMIT));
  if (known) {
    if (is_shared && known->is_shared && waits && interlock_prefers_writers(object)) {
      interlock_note_loop(state, *known, true, 0, place, outer);
    }
    known->count++;
    return;
  }
  if (kind == INTERLOCK_OBJECT_WRITE_LOCK && !is_shared && waits && interlock_prefers_writers(object)) {
    held_lock own = {.object = object, .place = place, .outer = outer, .kind = (uint8_t)kind};
    interlock_note_loop(state, own, false, 0, place, outer);
  }
  if (waits && state->held_count > 0) {
    interlock_note_order(state, object, kind, is_shared, place, outer);
  }
  interlock_hold(state, (held_lock){.object = object,
                                    .place = place,
                                    .outer = outer,
                                    .count = 1,
                                    .kind = (uint8_t)kind,
                                    .is_shared = is_shared});
}

bool interlock_let_go(order_record *state, uintptr_t object, uintptr_t place) {
  held_lock *known = interlock_find_held(state, object);
  if (!known || known->run == callers_run) {
    if (state->untold > 0) state->untold--;
    return false;
  }
  if (--known->count > 0) return true;
  interlock_look_at_hold_time(state, known, place);
  // The time may have been told, which calls nobody: it is still where it was.
  interlock_drop(state, known);
  return true;
}

size_t interlock_tell_held(interlock_held_at *held, size_t capacity) {
  const order_record *state = interlock_own_record ? &interlock_own_record->order : NULL;
  if (!state) return 0;
  size_t count = state->held_count < capacity ? state->held_count : capacity;
  for (size_t index = 0; index < count; index++) {
    const held_lock *lock = &state->held[index];
    held[index] = (interlock_held_at){lock->object, lock->place, lock->outer, lock->kind};
  }
  return count;
}
