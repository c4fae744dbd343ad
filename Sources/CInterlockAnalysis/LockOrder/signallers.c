// The locks under which an object (a semaphore, group, condition or work item) was signalled. A
// thread may block every signaller if it waits for the object while it holds such a lock, or a lock
// that is acquired under one.
#include "signals.h"

#include "interlock_clocks.h"
#include "interlock_runtime.h"

// Signals.

/// The number by which a signal advances the signaller's clock: see `note_release` of the vector
/// clocks.
static uint32_t counts_of(const signal *known) {
  return known->view.kind == INTERLOCK_OBJECT_GROUP ? 2 : 1;
}

/// Intersects the signal's locks with the held ones; returns false if none is left.
static bool keep_gates(signal *known, const held_lock *held, uint32_t count) {
  bool is_first = known->epoch_count == 0;
  held_lock gates[most_gates];
  uint32_t numbers[most_gates], kept = 0;
  for (uint32_t index = 0; index < count && kept < most_gates; index++) {
    if (interlock_is_only_gate(&held[index])) continue;
    const known_lock *lock = interlock_note_lock(held[index].object, held[index].kind);
    if (!lock) continue;
    uint32_t at = 0;
    while (at < known->gate_count && known->numbers[at] != lock->number) at++;
    if (!is_first && at == known->gate_count) continue;
    gates[kept] = held[index];
    gates[kept].is_shared = held[index].is_shared || (!is_first && known->gates[at].is_shared);
    numbers[kept++] = lock->number;
  }
  for (uint32_t index = 0; index < kept; index++) {
    known->gates[index] = gates[index];
    known->numbers[index] = numbers[index];
  }
  known->gate_count = kept;
  return kept > 0;
}

/// Keeps the epoch of a thread's first signal; returns false if there is no room.
static bool keep_epoch(signal *known, uint32_t slot, uint64_t count) {
  for (uint32_t index = 0; index < known->epoch_count; index++) {
    if (known->epochs[index].slot == slot) return true;
  }
  if (known->epoch_count == most_epochs) return false;
  known->epochs[known->epoch_count++] = (epoch){slot, count};
  return true;
}

/// Returns the object that an event signals; NULL if it is not followed. A semaphore is followed
/// only if it was seen to begin at 0: with a larger value, a wait may need no signal.
static known_lock *find_signalled(const interlock_event *event) {
  uintptr_t object = (uintptr_t)event->object;
  return event->object_kind == INTERLOCK_OBJECT_SEMAPHORE
             ? interlock_find_lock(object, interlock_signal_kind)
             : interlock_note_lock(object, interlock_signal_kind);
}

void interlock_signalled_by_task(const interlock_event *event) {
  take(&interlock_tables_lock);
  known_lock *lock = find_signalled(event);
  if (lock) lock->signaller = interlock_current_task();
  give(&interlock_tables_lock);
}

static signal *make_signal_of(known_lock *lock, const interlock_event *event, uintptr_t place) {
  lock->node = interlock_signal_make();
  signal *made = signal_of(lock);
  if (!made) return NULL;
  made->object = lock->entry.key;
  made->view = (interlock_signal_view){.kind = event->object_kind,
                                       .created = lock->created,
                                       .place = place,
                                       .thread = (uint32_t)interlock_thread_number()};
  return made;
}

/// Returns true if further signals of the object, by any thread, can show no more orders.
static bool note_signal(const interlock_event *event, const thread_record *own, bool is_known,
                        bool at_end) {
  held_lock held[INTERLOCK_HELD_MOST * 2];
  uint32_t count = 0, slot = 0;
  uint64_t count_now = 0;
  enum { room = sizeof held / sizeof *held };
  for (uint32_t index = 0; is_known && index < own->held.count; index++) {
    const held_lock *lock = &own->held.locks[index];
    if (!interlock_is_in_order(lock)) continue;
    count += interlock_with_targets(*lock, held + count, room - count);
  }
  bool is_missed = count > 0 && interlock_clocks_blindness();
  if (count > 0) is_known = !is_missed && interlock_clocks_epoch(false, &slot, &count_now);
  uintptr_t place = count > 0 ? interlock_events_place(event) : 0;
  take(&interlock_tables_lock);
  known_lock *lock = find_signalled(event);
  if (lock && lock->node < missed_node) {
    bool is_gated = is_known && count > 0;
    signal *known = signal_of(lock);
    if (is_gated && !known) known = make_signal_of(lock, event, place);
    if (known && at_end) known->at_end = true;
    if (!known || !is_gated || !keep_gates(known, held, count) ||
        !keep_epoch(known, slot, count_now)) {
      interlock_signal_open(lock, is_missed ? missed_node : open_node);
    }
  }
  bool is_settled = !lock || lock->node >= missed_node;
  give(&interlock_tables_lock);
  return is_settled;
}

void interlock_signalled(thread_record *own, const interlock_event *event, bool at_end) {
  // Relaxed: see `interlock_lock_made`.
  uint32_t changed = __atomic_load_n(&interlock_locks_changed, __ATOMIC_RELAXED);
  // The order of a task is not known, so its signals count as made without a lock.
  bool is_known = interlock_knows_held(own) && !interlock_current_task();
  uint64_t hash = mix((uintptr_t)event->object, changed);
  if (is_known) hash = interlock_held_hash(own, mix(hash, 1));
  uint64_t *slot = &own->order.chains[hash % known_chains];
  // This thread has signalled the object under the same locks before.
  if (*slot == hash) return;
  *slot = hash;
  interlock_events_hide_thread(true);
  if (note_signal(event, own, is_known, at_end)) {
    own->order.settled = (uintptr_t)event->object;
    own->order.settled_at = changed;
  }
  interlock_events_hide_thread(false);
}

// Waits.

/// True if an order other than that of a common lock puts a signal before this wait, so that the
/// waiter can never come first. `has_gate`: the waiter holds the signaller's lock, so it comes
/// after the release of that lock, which advances the signaller's clock once more.
static bool is_ordered(const signal *known, bool has_gate) {
  for (uint32_t index = 0; index < known->epoch_count; index++) {
    epoch first = known->epochs[index];
    uint32_t after = has_gate ? counts_of(known) + 1 : 0;
    if (interlock_clocks_has_seen(first.slot, first.count + after)) return true;
  }
  return false;
}

/// True if a wait makes an order with a lock of its signal. `held` is the waiter's entry for that
/// lock, or NULL.
static bool is_evidence(const signal *known, const held_lock *gate, const held_lock *held) {
  if (is_ordered(known, held != NULL)) return false;
  if (!held) return true;
  // Excludes a queue, which runs its blocks in the order in which they were enqueued.
  return gate->kind != INTERLOCK_OBJECT_QUEUE && !known->at_end &&
         !(gate->is_shared && held->is_shared);
}

/// Returns true if no later wait of the calling thread for the object can make an order: the object
/// is signalled without a common lock, or the thread is ordered after a signal and stays so.
/// (Tasks, which do not stay so, are left out by the caller.)
static bool is_settled(const known_lock *lock, const signal *known) {
  return lock && (known ? is_ordered(known, true) : lock->node >= missed_node);
}

void interlock_waited_for_signal(thread_record *own, const interlock_event *event,
                                 uintptr_t outer) {
  uint32_t slot;
  uint64_t count;
  // Relaxed: see `interlock_lock_made`.
  uint32_t changed = __atomic_load_n(&interlock_locks_changed, __ATOMIC_RELAXED);
  if (own->order.settled_wait == (uintptr_t)event->object &&
      own->order.settled_wait_at == changed && own->order.jobs == 0) {
    return;
  }
  if (!interlock_knows_held(own) || interlock_current_task()) return;
  held_lock gates[most_gates];
  uint32_t gate_count = 0, index = 0;
  interlock_events_hide_thread(true);
  bool is_known = !interlock_clocks_blindness() && interlock_clocks_epoch(false, &slot, &count);
  take(&interlock_tables_lock);
  const known_lock *lock = interlock_find_lock((uintptr_t)event->object, interlock_signal_kind);
  if (lock && lock->node == missed_node) interlock_losses.waits = true;
  signal *known = lock ? signal_of(lock) : NULL;
  if (is_known && is_settled(lock, known)) {
    own->order.settled_wait = (uintptr_t)event->object;
    own->order.settled_wait_at = changed;
  } else if (is_known && known) {
    index = lock->node;
    for (uint32_t number = 0; number < known->gate_count; number++) {
      const held_lock *gate = &known->gates[number];
      const held_lock *held = interlock_find_held(own, gate->object);
      if (is_evidence(known, gate, held)) gates[gate_count++] = *gate;
    }
    if (gate_count > 0) known->is_noted = true;
  }
  give(&interlock_tables_lock);
  interlock_events_hide_thread(false);
  for (uint32_t number = 0; number < gate_count; number++) {
    held_lock gate = gates[number];
    const held_lock *held = interlock_find_held(own, gate.object);
    if (held) {
      interlock_note_loop(own, *held, gate.is_shared, index, event->place, outer);
    } else {
      gate.place = event->place;
      gate.outer = outer;
      interlock_note_signal(own, gate, index);
    }
  }
}
