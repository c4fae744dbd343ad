// Sections and sync points of explored threads, as points.
#include "sections.h"

#ifdef INTERLOCK_INTERPOSES

#include "../Calls/swift_mutexes.h"
#include "../Engine/engine.h"
#include "interlock_explored_sections.h"
#include "section_lines.h"

#define ENGINE interlock_the_engine

/// True if the running execution has reached a section.
static bool has_sections;

/// The address of the object of all sync points, which is no address of a program.
static const uintptr_t sync_points = 1;
/// Keys are hashes. This bit keeps them apart from addresses.
static const uintptr_t key_bit = (uintptr_t)1 << 63;

static uint64_t explored_thread(void) {
  // Not `interlock_is_controlled`, because the section tracker hides its own calls.
  if (!interlock_marks.controlled || !ENGINE.current) return 0;
  return ENGINE.execution << 20 | ((ENGINE.current->number + 1) & 0xfffff);
}

static void hide(void) {
  if (interlock_marks.controlled) interlock_marks.hidden++;
}

static void done(void) {
  if (interlock_marks.controlled) interlock_marks.hidden--;
}

static void reach(interlock_section_step step, uint64_t key, interlock_section_site site) {
  static const interlock_operation_kind kinds[] = {
      INTERLOCK_OPERATION_SECTION_READ, INTERLOCK_OPERATION_SECTION_WRITE,
      INTERLOCK_OPERATION_SECTION_READ_END, INTERLOCK_OPERATION_SECTION_WRITE_END,
      INTERLOCK_OPERATION_SYNC_POINT};
  if (interlock_is_controlled()) {
    bool is_section = step != INTERLOCK_SYNC_POINT_REACHED;
    interlock_marks.hidden++;
    uintptr_t place = interlock_section_place(site);
    uintptr_t address = is_section ? (uintptr_t)key | key_bit : sync_points;
    uint32_t object = interlock_object_at((const void *)address)->number;
    interlock_marks.hidden--;
    if (is_section) {
      has_sections = true;
      interlock_learn(INTERLOCK_FACT_SECTIONS);
    }
    interlock_point(interlock_operation_of(kinds[step], object, 0), NULL, NULL, place);
  }
  hide();
}

static bool is_free(interlock_logical_thread *thread, void *object) {
  (void)thread;
  return !((const interlock_object *)object)->owner;
}

static interlock_object *object_of(const void *mutex) {
  interlock_marks.hidden++;
  interlock_object *object = interlock_object_in_memory(mutex);
  interlock_marks.hidden--;
  return object;
}

static void lock(const void *mutex, interlock_section_site site) {
  if (!interlock_is_controlled()) return;
  interlock_object *object = object_of(mutex);
  interlock_point(interlock_operation_of(INTERLOCK_OPERATION_LOCK, object->number, 0), is_free,
                  object, interlock_section_place(site));
  object->value = INTERLOCK_MUTEX_IS_TAKEN_BY_SECTION;
  object->owner = ENGINE.current;
}

static void unlock(const void *mutex) {
  if (!interlock_is_controlled()) return;
  interlock_object *object = object_of(mutex);
  object->owner = NULL;
  interlock_did(interlock_operation_of(INTERLOCK_OPERATION_UNLOCK, object->number, 0));
}

static void fail(const char *text) {
  if (interlock_marks.controlled) interlock_execution_fail(INTERLOCK_EXPLORED_RACE, text);
}

static const interlock_explored_sections sections = {.thread = explored_thread,
                                                     .reach = reach,
                                                     .lock = lock,
                                                     .unlock = unlock,
                                                     .hide = hide,
                                                     .done = done,
                                                     .fail = fail};

void interlock_sections_begin(void) {
  has_sections = false;
  interlock_set_explored_sections(&sections);
}

void interlock_sections_end(void) { interlock_set_explored_sections(NULL); }

void interlock_sections_end_execution(void) {
  if (!has_sections) return;
  has_sections = false;
  interlock_sections_of_execution_ended();
}

#endif
