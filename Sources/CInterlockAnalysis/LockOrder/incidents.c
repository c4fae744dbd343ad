// The incidents: one entry for each place, with a count.
#include "Graph/order_reader.h"

#include <sys/mman.h>

#include "interlock_stack_walk.h"

enum { capacity = 512 };
static interlock_incident *incidents;
static uint32_t used;

bool interlock_incidents_prepare(void) {
  void *memory = mmap(NULL, capacity * sizeof *incidents, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  incidents = memory;
  return true;
}

/// Returns the address at which the outermost function of the current task's code continues, which
/// the frames of the runtime that runs the task have called; 0 if the stack does not show it.
static uintptr_t task_place_of(interlock_incident_kind kind) {
  enum { most = 256 };
  if (kind != INTERLOCK_INCIDENT_BLOCKING_WAIT) return 0;
  uintptr_t frames[most];
  size_t index = interlock_unwind_frames(frames, most);
  while (index > 0 && !interlock_events_is_concurrency(frames[index - 1])) index--;
  while (index > 0 && interlock_events_is_concurrency(frames[index - 1])) index--;
  return index > 0 ? frames[index - 1] : 0;
}

static interlock_incident *find(uint32_t kind, uint32_t object_kind, uintptr_t place,
                                uintptr_t outer, uintptr_t task_place) {
  for (uint32_t index = 0; index < used; index++) {
    interlock_incident *known = &incidents[index];
    if (known->kind == kind && known->object_kind == object_kind && known->place == place &&
        known->outer == outer && known->task_place == task_place) {
      return known;
    }
  }
  return NULL;
}

static bool count_known(uint32_t kind, uint32_t object_kind, uintptr_t place, uintptr_t outer,
                        uintptr_t task_place, uint64_t nanoseconds) {
  take(&interlock_tables_lock);
  interlock_incident *known = find(kind, object_kind, place, outer, task_place);
  if (known) {
    known->count++;
    if (nanoseconds > known->nanoseconds) known->nanoseconds = nanoseconds;
  }
  give(&interlock_tables_lock);
  return known != NULL;
}

void interlock_note_incident(thread_record *own, interlock_incident_kind kind, uint32_t object_kind,
                             uintptr_t object, uintptr_t place, uintptr_t outer,
                             uintptr_t end_place, uint64_t nanoseconds) {
  // A lock that a system library takes is no fault of the program.
  if (!interlock_events_is_users(place)) return;
  interlock_events_hide_thread(true);
  uintptr_t task_place = task_place_of(kind);
  if (!count_known(kind, object_kind, place, outer, task_place, nanoseconds)) {
    interlock_incident made = {.kind = kind,
                               .object_kind = object_kind,
                               .object = object,
                               .place = place,
                               .outer = outer,
                               .end_place = end_place,
                               .task_place = task_place,
                               .nanoseconds = nanoseconds,
                               .count = 1};
    interlock_describe_actor(own, place, &made.actor);
    take(&interlock_tables_lock);
    interlock_incident *known = find(kind, object_kind, place, outer, task_place);
    if (known) {
      known->count++;
    } else if (kind == INTERLOCK_INCIDENT_BLOCKING_WAIT && made.actor.stack_count == 0) {
      // No user code on the stack: see `look_closer` in order_chains.c.
    } else if (used < capacity) {
      incidents[used++] = made;
    } else {
      interlock_losses.incidents = true;
    }
    give(&interlock_tables_lock);
  }
  interlock_events_hide_thread(false);
}

void interlock_wait_is_ended(const thread_record *own, const interlock_event *event) {
  const order_record *order = &own->order;
  uintptr_t object = (uintptr_t)event->object;
  if (order->wait_object != object || order->wait_kind != event->object_kind) return;
  interlock_events_hide_thread(true);
  take(&interlock_tables_lock);
  const known_lock *lock = interlock_find_lock(object, interlock_signal_kind);
  uint64_t signaller = lock ? lock->signaller : 0;
  give(&interlock_tables_lock);
  if (signaller && signaller != interlock_current_task()) {
    uintptr_t task_place = task_place_of(INTERLOCK_INCIDENT_BLOCKING_WAIT);
    take(&interlock_tables_lock);
    interlock_incident *known = find(INTERLOCK_INCIDENT_BLOCKING_WAIT, event->object_kind,
                                     order->wait_place, order->wait_outer, task_place);
    if (known) known->needs_task = true;
    give(&interlock_tables_lock);
  }
  interlock_events_hide_thread(false);
}

void interlock_end_long_wait(thread_record *own, uintptr_t object) {
  order_record *order = &own->order;
  if (order->wait_object != object) return;
  uint64_t waited = interlock_coarse_now() - order->wait_since;
  order->wait_since = 0;
  if (waited < interlock_limits.blocked_limit) return;
  interlock_note_incident(own, INTERLOCK_INCIDENT_BLOCKING_WAIT, order->wait_kind,
                          order->wait_object, order->wait_place, order->wait_outer, 0, waited);
}

size_t interlock_incident_count(void) {
  if (!interlock_prediction_started()) return 0;
  take(&interlock_tables_lock);
  size_t count = used;
  give(&interlock_tables_lock);
  return count;
}

bool interlock_incident_at(size_t index, interlock_incident *incident) {
  bool found = false;
  take(&interlock_tables_lock);
  if (index < used) {
    *incident = incidents[index];
    found = true;
  }
  give(&interlock_tables_lock);
  return found;
}
