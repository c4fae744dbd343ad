// Prediction: its start, and the locks that the calling thread holds.
#include <pthread.h>

#include "order_reader.h"

/// Publishes the events of locks that no interposed call shows.
static void hear(interlock_lock_change change, const void *lock, interlock_call_place call) {
  if (change == INTERLOCK_LOCK_NOT_KNOWN) {
    interlock_miss_lock();
    return;
  }
  static const interlock_event_kind kinds[] = {INTERLOCK_EVENT_CREATE, INTERLOCK_EVENT_ACQUIRE,
                                               INTERLOCK_EVENT_RELEASE, INTERLOCK_EVENT_DESTROY};
  interlock_event event = {.kind = kinds[change],
                           .object_kind = INTERLOCK_OBJECT_OWNED_FUTEX,
                           .object = lock,
                           .place = call.place,
                           .frame = call.frame};
  if (change == INTERLOCK_LOCK_MADE) {
    // The caller is an initialiser that the compiler made, so the place is its own caller's.
    uintptr_t outer = interlock_events_outer(call.frame, call.place);
    if (outer) event.place = outer;
  }
  interlock_events_publish(&event);
}

void interlock_hear_locks(void) { interlock_listen_to_locks(hear); }

static void forked(void) {
  // The child has no other threads, so a holder of the tables' lock cannot release it there.
  interlock_listen_to_locks(NULL);
  __atomic_store_n(&interlock_order_state, 0, __ATOMIC_RELAXED);
  interlock_tables_lock = 0;
  interlock_main_queue_forked();
}

bool interlock_prediction_start(interlock_prediction_limits limits) {
  static int only;
  if (__atomic_exchange_n(&only, 1, __ATOMIC_ACQ_REL)) return interlock_prediction_started();
  interlock_limits = limits;
  // Queues are locks too. Without their calls, orders would be missing, and also outer locks that
  // exclude two orders from each other.
  if (interlock_events_available() != INTERLOCK_EVENTS_ALL) return false;
  if (interlock_layouts_lost(INTERLOCK_LAYOUTS_OF_LOCKS)) return false;
  if (!interlock_known_locks_prepare() ||
      !interlock_order_prepare() || !interlock_chains_prepare() || !interlock_signals_prepare() ||
      !interlock_incidents_prepare() || !interlock_left_locks_prepare()) {
    return false;
  }
  interlock_queues_prepare();
  interlock_writers_prepare();
  pthread_atfork(NULL, NULL, forked);
  bool added = interlock_follow(INTERLOCK_PART_ORDER);
  // Release: a thread that reads true with acquire sees the tables.
  __atomic_store_n(&interlock_order_state, added, __ATOMIC_RELEASE);
  if (added) interlock_hear_locks();
  return added;
}

uint32_t interlock_prediction_depth(void) {
  return interlock_own_record ? interlock_own_record->held.counted[HELD_IN_ORDER] : 0;
}

void interlock_prediction_called_back(uint32_t depth) {
  thread_record *own = interlock_own_record;
  if (!own || !interlock_prediction_started()) return;
  uint32_t counted = 0;
  for (uint32_t index = 0; index < own->held.count; index++) {
    const held_lock *held = &own->held.locks[index];
    if (!interlock_is_in_order(held) || counted++ < depth) continue;
    if (held->kind == INTERLOCK_OBJECT_QUEUE || interlock_is_only_gate(held)) continue;
    interlock_note_incident(own, INTERLOCK_INCIDENT_CALLBACK, held->kind, held->object,
                            held->place, held->outer, 0, 0);
  }
}
