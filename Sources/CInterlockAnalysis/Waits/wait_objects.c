// The wait table's data about semaphores, groups, conditions and continuations.
#include "../hash_table.h"
#include "wait_table.h"

#ifdef INTERLOCK_INTERPOSES

#include <string.h>

// Records by address, in a table from which no entry is removed. A new object at an old address
// resets the entry.

typedef struct {
  /// The key is the object's address.
  table_entry entry;
  uint32_t kind;
  uint32_t newest_release, newest_enter;
  int64_t value;
  uintptr_t created;
  /// The callers of the function that made the object, innermost first; then 0.
  uintptr_t created_callers[INTERLOCK_CALLERS_MOST];
  uint64_t waits, releases, enters;
  uintptr_t release_places[INTERLOCK_PLACES_MOST];
  uintptr_t enter_places[INTERLOCK_PLACES_MOST];
} object_record;

enum { object_capacity = 1 << 16, object_buckets = 1 << 15 };
static object_record records[object_capacity];
static uintptr_t lists[object_buckets];
static hash_table objects = {.lists = lists,
                     .list_count = object_buckets,
                     .entries = (char *)records,
                     .size = sizeof *records,
                     .most = object_capacity};

/// Not inlined: called once for each object.
__attribute__((noinline)) static object_record *make_object(uintptr_t object, uint32_t kind) {
  take(&objects.lock);
  object_record *record = (object_record *)table_find(&objects, object);
  if (!record) {
    record = (object_record *)table_take(&objects);
    if (record) {
      record->kind = kind;
      table_add(&objects, &record->entry, object);
    }
  }
  give(&objects.lock);
  if (!record) interlock_note_partial();
  return record;
}

/// Returns the object's record, made if there is none and `make` is true; NULL if there is none, or
/// no room.
static inline object_record *find_object(uintptr_t object, uint32_t kind, bool make) {
  object_record *found = (object_record *)table_find(&objects, object);
  return found || !make ? found : make_object(object, kind);
}

/// Makes the record of an event's object, and reads the event again. Outlined, so that the usual
/// path, in which there is a record, needs no frame.
__attribute__((noinline)) static void make_and_repeat(const interlock_event *event,
                                                      void (*read)(const interlock_event *)) {
  if (make_object((uintptr_t)event->object, event->object_kind)) read(event);
}

/// True if the object is a semaphore that begins at 1, and so a lock, whose holder is known. Only
/// the signals of other objects are counted: all threads would write a lock's count.
static bool is_lock(const object_record *record) {
  return record->value == 1 && record->created && record->kind == INTERLOCK_OBJECT_SEMAPHORE;
}

static bool is_task(uint32_t kind) {
  return kind == INTERLOCK_OBJECT_CONTINUATION || kind == INTERLOCK_OBJECT_STREAM;
}

static void add_place(uintptr_t *places, uint32_t *newest, uintptr_t place) {
  // Relaxed, and in two steps: of two signals at the same time, one place may be lost. Only reports
  // show it.
  uint32_t index = __atomic_add_fetch(newest, 1, __ATOMIC_RELAXED) % INTERLOCK_PLACES_MOST;
  __atomic_store_n(&places[index], place, __ATOMIC_RELAXED);
}

static void note_callers(object_record *record, const interlock_event *event) {
  uintptr_t *callers = record->created_callers;
  size_t count = 1;
  if (is_task(event->object_kind)) {
    callers[0] = (uintptr_t)event->other;
  } else {
    count = interlock_events_callers(event->frame, event->place, callers, INTERLOCK_CALLERS_MOST);
  }
  if (count < INTERLOCK_CALLERS_MOST) callers[count] = 0;
}

uint32_t interlock_semaphores_made;

void interlock_object_made(const interlock_event *event) {
  object_record *record = find_object((uintptr_t)event->object, 0, false);
  if (!record) {
    make_and_repeat(event, interlock_object_made);
    return;
  }
  // Relaxed: the program itself orders the creation of the semaphore before its first use
  // elsewhere.
  if (event->object_kind == INTERLOCK_OBJECT_SEMAPHORE) {
    __atomic_fetch_add(&interlock_semaphores_made, 1, __ATOMIC_RELAXED);
  }
  record->kind = event->object_kind;
  record->value = event->value;
  record->created = event->place;
  note_callers(record, event);
  record->newest_release = record->newest_enter = 0;
  record->waits = record->enters = 0;
  __atomic_store_n(&record->releases, 0, __ATOMIC_RELAXED);
  memset(record->release_places, 0, sizeof record->release_places);
  memset(record->enter_places, 0, sizeof record->enter_places);
}

void interlock_object_reset(const interlock_event *event) {
  // Makes no record, because most conditions are never waited for.
  if (find_object((uintptr_t)event->object, 0, false)) interlock_object_made(event);
}

void interlock_object_waited(const interlock_event *event) {
  object_record *object = find_object((uintptr_t)event->object, 0, false);
  if (!object) {
    make_and_repeat(event, interlock_object_waited);
  } else if (!is_lock(object)) {
    __atomic_fetch_add(&object->waits, 1, __ATOMIC_RELAXED);
  }
}

void interlock_object_released(const interlock_event *event) {
  object_record *found = find_object((uintptr_t)event->object, event->object_kind, true);
  if (!found || is_lock(found)) return;
  __atomic_fetch_add(&found->releases, 1, __ATOMIC_RELAXED);
  add_place(found->release_places, &found->newest_release, interlock_events_place(event));
}

void interlock_object_entered(const interlock_event *event) {
  object_record *group = find_object((uintptr_t)event->object, 0, false);
  if (!group) {
    make_and_repeat(event, interlock_object_entered);
    return;
  }
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
  *view = (interlock_object_view){.object = record->entry.key,
                                  .kind = record->kind,
                                  .value = record->value,
                                  .created = record->created,
                                  .waits = record->waits,
                                  .releases = record->releases,
                                  .enters = record->enters};
  memcpy(view->created_callers, record->created_callers, sizeof view->created_callers);
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
  uint32_t used = table_used(&objects);
  for (uint32_t index = 0; index < used; index++) {
    const object_record *record = &records[index];
    // Acquire: pairs with the release in `table_add`, so that an entry with a key has its kind.
    if (!__atomic_load_n(&record->entry.key, __ATOMIC_ACQUIRE) || !is_task(record->kind)) continue;
    // A continuation is released when it is resumed. The task's next one resets the counts.
    if (__atomic_load_n(&record->releases, __ATOMIC_RELAXED) > 0) continue;
    if (count < capacity) view_object(record, &views[count]);
    count++;
  }
  return count;
}

#endif
