// The incidents: one entry for each place, with a count.
#include "order_reader.h"

#include <sys/mman.h>

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

static interlock_incident *find(uint32_t kind, uint32_t object_kind, uintptr_t place,
                                uintptr_t outer) {
  for (uint32_t index = 0; index < used; index++) {
    interlock_incident *known = &incidents[index];
    if (known->kind == kind && known->object_kind == object_kind && known->place == place &&
        known->outer == outer) {
      return known;
    }
  }
  return NULL;
}

static bool count_known(uint32_t kind, uint32_t object_kind, uintptr_t place, uintptr_t outer,
                        uint64_t nanoseconds) {
  take(&interlock_tables_lock);
  interlock_incident *known = find(kind, object_kind, place, outer);
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
  if (!count_known(kind, object_kind, place, outer, nanoseconds)) {
    interlock_incident made = {.kind = kind,
                               .object_kind = object_kind,
                               .object = object,
                               .place = place,
                               .outer = outer,
                               .end_place = end_place,
                               .nanoseconds = nanoseconds,
                               .count = 1};
    interlock_describe_actor(own, place, &made.actor);
    take(&interlock_tables_lock);
    interlock_incident *known = find(kind, object_kind, place, outer);
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
