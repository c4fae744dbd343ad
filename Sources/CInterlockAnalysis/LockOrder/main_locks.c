// Locks that the main thread takes outside all blocks: in a test's body, or in a function of a user
// interface that a run loop calls. While the main thread waits for the lock, it runs no block of
// the main queue, so the lock's holder must not wait for such a block.
//
// Many programs take locks on the main thread before they start other threads, or after these have
// ended. Such an acquisition is no evidence: it must be unordered with at least one synchronous
// call on the main queue under the lock. Only starts, ends and signals count as an order, because
// the order in which threads take a mutex, or call the main queue, may differ in another run.
#include "interlock_clocks.h"
#include "Graph/order_reader.h"

/// True if the epoch after a call on the main queue under the lock happens before this code.
static bool comes_after_call(const known_lock *lock) {
  return lock->sync_count == 0 || interlock_clocks_has_seen(lock->sync_slot, lock->sync_count);
}

/// Records the acquisition's epoch. Returns false if the order is not known.
static bool note_epoch(thread_record *own, uintptr_t object, uint32_t kind) {
  uint32_t slot;
  uint64_t count;
  if (interlock_clocks_blindness() || !interlock_clocks_epoch(false, &slot, &count)) return false;
  take(&interlock_tables_lock);
  known_lock *lock = interlock_note_lock(object, kind);
  if (lock) {
    lock->main_count = count;
    if (!comes_after_call(lock)) lock->meets_main = true;
  }
  // Relaxed: a thread that reads the old value has started before this acquisition.
  __atomic_store_n(&interlock_main_slot, slot, __ATOMIC_RELAXED);
  give(&interlock_tables_lock);
  if (!lock) return false;
  // Relaxed: see `interlock_lock_made`.
  uint32_t changed = __atomic_load_n(&interlock_locks_changed, __ATOMIC_RELAXED);
  *interlock_main_lock(own, object) =
      (main_lock){.object = object, .steps = own->order.steps, .changed = changed};
  return true;
}

void interlock_main_takes_anew(thread_record *own, uintptr_t object, uint32_t kind,
                               bool is_shared, uintptr_t place, uintptr_t outer) {
  uint64_t acquisition = interlock_main_acquisition(own, is_shared, place, outer);
  // An initialiser runs once.
  if (kind == INTERLOCK_OBJECT_ONCE || !interlock_events_is_users(place)) return;
  held_lock queue = {.object = (uintptr_t)_dispatch_main_q,
                     .counts = {[HELD_IN_ORDER] = 1},
                     .run = outside_run,
                     .kind = INTERLOCK_OBJECT_QUEUE};
  interlock_events_hide_thread(true);
  bool is_known = interlock_main_knows(own, object) || note_epoch(own, object, kind);
  bool holds_queue = is_known && add_held(&own->held, queue, HELD_IN_ORDER);
  interlock_events_hide_thread(false);
  if (!holds_queue) return;
  interlock_note_order(own, object, kind, is_shared, place, outer);
  held_lock *held = interlock_find_held(own, queue.object);
  if (held) interlock_drop(own, held);
  interlock_main_lock(own, object)->acquisition = acquisition;
}

void interlock_main_is_awaited(thread_record *own, bool has_returned) {
  uint32_t slot = 0;
  uint64_t count = 0;
  if (!interlock_knows_held(own) || interlock_clocks_blindness()) return;
  interlock_events_hide_thread(true);
  if (interlock_clocks_epoch(own->order.jobs > 0, &slot, &count)) {
    take(&interlock_tables_lock);
    for (uint32_t index = 0; index < own->held.count; index++) {
      const held_lock *held = &own->held.locks[index];
      if (!interlock_is_in_order(held) || interlock_is_only_gate(held)) continue;
      known_lock *lock = interlock_note_lock(held->object, held->kind);
      if (!lock) continue;
      if (has_returned) {
        lock->sync_slot = slot;
        lock->sync_count = count;
      } else if (lock->main_count > own->order.seen_main) {
        lock->meets_main = true;
      }
    }
    give(&interlock_tables_lock);
  }
  interlock_events_hide_thread(false);
}
