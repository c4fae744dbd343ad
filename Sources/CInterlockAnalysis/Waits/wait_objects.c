// What the wait table knows of semaphores, groups, conditions and continuations.
#include "wait_table.h"

#ifdef INTERLOCK_INTERPOSES

#include <string.h>

// Semaphores, groups, conditions, continuations: by address, in a table that never forgets. What is
// made again at an address begins anew there.

typedef struct {
  uintptr_t object;
  uint32_t kind;
  uint32_t newest_release, newest_enter;
  int64_t value;
  uintptr_t created, created_outer;
  uint64_t waits, releases, enters;
  uintptr_t release_places[INTERLOCK_PLACES_MOST];
  uintptr_t enter_places[INTERLOCK_PLACES_MOST];
} object_record;

enum { object_capacity = 1 << 16, object_probes = 64 };
static object_record objects[object_capacity];

/// The object's record; made if asked for. NULL where it has none, or there is no room.
static object_record *find_object(uintptr_t object, uint32_t kind, bool make) {
  size_t first = hash_of(object);
  for (size_t probe = 0; probe < object_probes; probe++) {
    object_record *record = &objects[(first + probe) & (object_capacity - 1)];
    // Acquire: who finds the object finds its kind.
    uintptr_t found = __atomic_load_n(&record->object, __ATOMIC_ACQUIRE);
    if (found == object) return record;
    if (found) continue;
    if (!make) return NULL;
    if (__atomic_compare_exchange_n(&record->object, &found, object, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
      record->kind = kind;
      return record;
    }
    if (found == object) return record;
  }
  if (make) interlock_note_partial();
  return NULL;
}

/// Whether it is a semaphore that begins at 1: used as a lock, so that who has it is known. Others
/// only tell something, and then it is counted how often; of a lock that would make all threads
/// write to one place.
static bool is_lock(const object_record *record) {
  return record->value == 1 && record->created && record->kind == INTERLOCK_OBJECT_SEMAPHORE;
}

static bool is_task(uint32_t kind) {
  return kind == INTERLOCK_OBJECT_CONTINUATION || kind == INTERLOCK_OBJECT_STREAM;
}

static void add_place(uintptr_t *places, uint32_t *newest, uintptr_t place) {
  // Relaxed, and not one step: two that come at once may leave one place. It is a hint for people.
  uint32_t index = __atomic_add_fetch(newest, 1, __ATOMIC_RELAXED) % INTERLOCK_PLACES_MOST;
  __atomic_store_n(&places[index], place, __ATOMIC_RELAXED);
}

uint32_t interlock_semaphores_made;

void interlock_object_made(const interlock_event *event) {
  object_record *record = find_object((uintptr_t)event->object, event->object_kind, true);
  if (!record) return;
  // Relaxed: whoever is handed the new semaphore has been told of it in an order of its own.
  if (event->object_kind == INTERLOCK_OBJECT_SEMAPHORE) {
    __atomic_fetch_add(&interlock_semaphores_made, 1, __ATOMIC_RELAXED);
  }
  record->kind = event->object_kind;
  record->value = event->value;
  record->created = event->place;
  record->created_outer =
      is_task(event->object_kind) ? (uintptr_t)event->other : 0;
  record->newest_release = record->newest_enter = 0;
  record->waits = record->enters = 0;
  __atomic_store_n(&record->releases, 0, __ATOMIC_RELAXED);
  memset(record->release_places, 0, sizeof record->release_places);
  memset(record->enter_places, 0, sizeof record->enter_places);
}

void interlock_object_waited(const interlock_event *event) {
  object_record *object = find_object((uintptr_t)event->object, event->object_kind, true);
  if (object && !is_lock(object)) __atomic_fetch_add(&object->waits, 1, __ATOMIC_RELAXED);
}

void interlock_object_released(const interlock_event *event) {
  object_record *found = find_object((uintptr_t)event->object, event->object_kind, true);
  if (!found || is_lock(found)) return;
  __atomic_fetch_add(&found->releases, 1, __ATOMIC_RELAXED);
  add_place(found->release_places, &found->newest_release, interlock_events_place(event));
}

void interlock_object_entered(const interlock_event *event) {
  object_record *group = find_object((uintptr_t)event->object, event->object_kind, true);
  if (!group) return;
  __atomic_fetch_add(&group->enters, 1, __ATOMIC_RELAXED);
  add_place(group->enter_places, &group->newest_enter, event->place);
}

bool interlock_semaphore_acquired(wait_record *record, const interlock_event *event,
                                  bool after_wait) {
  uint32_t made = __atomic_load_n(&interlock_semaphores_made, __ATOMIC_RELAXED);
  object_record *semaphore = find_object((uintptr_t)event->object, event->object_kind, true);
  if (!semaphore) return false;
  if (is_lock(semaphore)) {
    record->last_lock = (interlock_known_lock){(uintptr_t)event->object, made};
    return true;
  }
  if (!after_wait) __atomic_fetch_add(&semaphore->waits, 1, __ATOMIC_RELAXED);
  return false;
}

static void view_object(const object_record *record, interlock_object_view *view) {
  *view = (interlock_object_view){.object = record->object,
                                  .kind = record->kind,
                                  .value = record->value,
                                  .created = record->created,
                                  .created_outer = record->created_outer,
                                  .waits = record->waits,
                                  .releases = record->releases,
                                  .enters = record->enters};
  for (uint32_t index = 0; index < INTERLOCK_PLACES_MOST; index++) {
    view->release_places[index] =
        record->release_places[(record->newest_release - index) % INTERLOCK_PLACES_MOST];
    view->enter_places[index] =
        record->enter_places[(record->newest_enter - index) % INTERLOCK_PLACES_MOST];
  }
}

bool interlock_waits_object(uintptr_t object, interlock_object_view *view) {
  object_record *record = find_object(object, 0, false);
  if (!record) return false;
  view_object(record, view);
  return true;
}

size_t interlock_waits_continuations(interlock_object_view *views, size_t capacity) {
  size_t count = 0;
  for (size_t index = 0; index < object_capacity; index++) {
    const object_record *record = &objects[index];
    if (!record->object || !is_task(record->kind)) continue;
    // One that is resumed is released; a task that makes the next begins anew.
    if (__atomic_load_n(&record->releases, __ATOMIC_RELAXED) > 0) continue;
    if (count < capacity) view_object(record, &views[count]);
    count++;
  }
  return count;
}

#endif
