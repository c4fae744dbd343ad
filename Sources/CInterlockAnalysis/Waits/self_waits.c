// Waits of a thread for itself: calls on an object that the calling thread holds. They are about to
// trap or hang.
#include "wait_table.h"

#ifdef INTERLOCK_INTERPOSES

static void (*self_wait_listener)(const interlock_self_wait *);

/// Hidden: the callback may make interposed calls.
static void report(void (*listener)(const interlock_self_wait *), const interlock_self_wait *wait) {
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
  // The list has no room for more runs, which the number counts too.
  uint32_t listed = record->view.run_count;
  if (listed > INTERLOCK_RUNS_MOST) listed = INTERLOCK_RUNS_MOST;
  for (uint32_t index = listed; index-- > 0;) {
    const interlock_run *run = &record->view.runs[index];
    bool is_barrier = barrier || (run->flags & INTERLOCK_FLAG_BARRIER);
    if (run->flags & INTERLOCK_FLAG_APPLY) continue;
    if (!interlock_queues_exclude(queue, run->queue, is_barrier)) continue;
    interlock_self_wait wait = {.thread = record->view.number,
                                .kind = INTERLOCK_OBJECT_QUEUE,
                                .object = run->queue,
                                .place = event->place,
                                .first_place = run->place,
                                // A barrier inside a block that is no barrier waits for itself and
                                // does not trap.
                                .traps = queue != run->queue || interlock_queue_width(queue) == 1 ||
                                         (run->flags & INTERLOCK_FLAG_BARRIER)};
    report(listener, &wait);
    return;
  }
}

/// The word of a contended Swift mutex, and of a running `dispatch_once`, contains the holder's
/// thread number: the runtime and libdispatch trap if that thread waits for it. The word of a
/// running `swift_once` is 0.
void interlock_look_for_own_word(thread_record *own, const interlock_event *event) {
  void (*listener)(const interlock_self_wait *) =
      __atomic_load_n(&self_wait_listener, __ATOMIC_ACQUIRE);
  if (!listener) return;
  // Relaxed: only this thread writes its own number there.
  uint32_t word = __atomic_load_n((const uint32_t *)event->object, __ATOMIC_RELAXED);
  if ((word & 0x3fffffff) != own->waits.view.number) return;
  const held_lock *held = find_held(&own->held, (uintptr_t)event->object, HELD_BY_THREAD);
  interlock_self_wait wait = {.thread = own->waits.view.number,
                              .kind = event->object_kind,
                              .object = (uintptr_t)event->object,
                              .place = event->place,
                              .first_place = held ? held->place : 0,
                              .traps = true};
  report(listener, &wait);
}

void interlock_waits_on_self(void (*listener)(const interlock_self_wait *)) {
  __atomic_store_n(&self_wait_listener, listener, __ATOMIC_RELEASE);
}

#endif
