// Calls for what the calling thread holds itself: they trap, or hang, in the next moment.
#include "wait_table.h"

#ifdef INTERLOCK_INTERPOSES

static void (*self_wait_listener)(const interlock_self_wait *);

/// Hidden: the callback may make interposed calls.
static void tell(void (*listener)(const interlock_self_wait *), const interlock_self_wait *wait) {
  interlock_events_hide_thread(true);
  listener(wait);
  interlock_events_hide_thread(false);
}

void interlock_look_for_self(wait_record *record, const interlock_event *event) {
  void (*listener)(const interlock_self_wait *) =
      __atomic_load_n(&self_wait_listener, __ATOMIC_ACQUIRE);
  if (!listener) return;
  uintptr_t queue = (uintptr_t)event->object;
  bool barrier = event->flags & INTERLOCK_FLAG_BARRIER;
  for (uint32_t index = record->view.run_count; index-- > 0;) {
    const interlock_run *run = &record->view.runs[index];
    bool is_barrier = barrier || (run->flags & INTERLOCK_FLAG_BARRIER);
    if (run->flags & INTERLOCK_FLAG_APPLY) continue;
    if (!interlock_queues_exclude(queue, run->queue, is_barrier)) continue;
    interlock_self_wait wait = {.thread = record->view.number,
                                .kind = INTERLOCK_OBJECT_QUEUE,
                                .object = run->queue,
                                .place = event->place,
                                .first_place = run->place,
                                // A reader that wants to be a barrier waits for itself without a
                                // trap.
                                .traps = queue != run->queue || interlock_queue_width(queue) == 1 ||
                                         (run->flags & INTERLOCK_FLAG_BARRIER)};
    tell(listener, &wait);
    return;
  }
}

/// A contended Swift mutex has its holder's thread in its word, and so has what `dispatch_once`
/// runs: the runtime and libdispatch end the process where that asks again. What `swift_once` runs
/// has 0 there.
void interlock_look_for_own_word(thread_record *own, const interlock_event *event) {
  void (*listener)(const interlock_self_wait *) =
      __atomic_load_n(&self_wait_listener, __ATOMIC_ACQUIRE);
  if (!listener) return;
  // Relaxed: only this thread itself puts its number there.
  uint32_t word = __atomic_load_n((const uint32_t *)event->object, __ATOMIC_RELAXED);
  if ((word & 0x3fffffff) != own->waits.view.number) return;
  const held_lock *held = find_held(&own->held, (uintptr_t)event->object, HELD_BY_THREAD);
  interlock_self_wait wait = {.thread = own->waits.view.number,
                              .kind = event->object_kind,
                              .object = (uintptr_t)event->object,
                              .place = event->place,
                              .first_place = held ? held->place : 0,
                              .traps = true};
  tell(listener, &wait);
}

void interlock_waits_on_self(void (*listener)(const interlock_self_wait *)) {
  __atomic_store_n(&self_wait_listener, listener, __ATOMIC_RELEASE);
}

#endif
