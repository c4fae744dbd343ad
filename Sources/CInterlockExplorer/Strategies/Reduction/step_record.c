#include "step_record.h"

static interlock_step_record *allocate(interlock_step_memory *memory, size_t operations) {
  size_t effects = sizeof(interlock_effect) * 2 * operations;
  interlock_step_record *record = interlock_step_memory_take(
      memory, sizeof *record + effects + sizeof(interlock_operation) * operations);
  if (!record) return NULL;
  *record = (interlock_step_record){.references = 1};
  record->operations = (interlock_operation *)((char *)(record + 1) + effects);
  return record;
}

/// Adds an effect once, because a step often repeats an effect. Compares with the last effects
/// only, so that a step with ten thousand effects does not take quadratic time.
static void add_effect(interlock_step_record *record, const interlock_effect *effect) {
  enum { compared = 64 };
  unsigned first = record->effect_count > compared ? record->effect_count - compared : 0;
  for (unsigned i = first; i < record->effect_count; i++) {
    const interlock_effect *known = &record->effects[i];
    if (known->kind == effect->kind && known->object == effect->object &&
        known->flags == effect->flags) {
      return;
    }
  }
  record->effects[record->effect_count++] = *effect;
  record->objects |= 1ull << (effect->object & 63);
}

static void add(interlock_step_record *record, const interlock_operation *operation) {
  record->operations[record->operation_count++] = *operation;
  record->is_global |= interlock_operation_is_global(operation);
  record->has_unknown_kind |= !interlock_operation_has_row(operation->kind);
  interlock_effect effects[2];
  unsigned count = interlock_effects(operation, effects);
  for (unsigned i = 0; i < count; i++) add_effect(record, &effects[i]);
}

interlock_step_record *interlock_step_record_create(interlock_step_memory *memory,
                                                    const interlock_operation *operations,
                                                    size_t count,
                                                    interlock_known_objects known_objects) {
  interlock_step_record *record = allocate(memory, count);
  if (!record) return NULL;
  record->known_objects = known_objects;
  for (size_t i = 0; i < count; i++) add(record, &operations[i]);
  return record;
}

interlock_step_record *interlock_step_record_union(const interlock_step_record *a,
                                                   const interlock_step_record *b) {
  interlock_step_memory *memory = interlock_step_memory_of(a);
  interlock_step_record *record =
      allocate(memory, (size_t)a->operation_count + b->operation_count);
  if (!record) return NULL;
  record->known_objects = interlock_known_at_both(a->known_objects, b->known_objects);
  for (unsigned i = 0; i < a->operation_count; i++) add(record, &a->operations[i]);
  for (unsigned i = 0; i < b->operation_count; i++) add(record, &b->operations[i]);
  return record;
}

void interlock_step_record_release(interlock_step_record *record) {
  if (record && --record->references == 0) interlock_step_memory_give(record);
}

// True if the object was not known. The clock has the same number everywhere, and so is always
// known.
static bool is_fresh(uint32_t object, interlock_known_objects known) {
  if (object == UINT32_MAX) return false;
  return object > (object < INTERLOCK_FIRST_LIBRARY_OBJECT ? known.own : known.library);
}

// True unless one number is a library object's and the other is not: such objects are never the
// same.
static bool are_of_one_sequence(uint32_t a, uint32_t b) {
  return (a < INTERLOCK_FIRST_LIBRARY_OBJECT) == (b < INTERLOCK_FIRST_LIBRARY_OBJECT);
}

bool interlock_step_effects_depend(const interlock_step_record *a, const interlock_step_record *b,
                                   interlock_known_objects known_objects) {
  for (unsigned i = 0; i < a->effect_count; i++) {
    bool fresh = is_fresh(a->effects[i].object, known_objects);
    for (unsigned k = 0; k < b->effect_count; k++) {
      bool same = a->effects[i].object == b->effects[k].object;
      if (fresh) {
        same = is_fresh(b->effects[k].object, known_objects) &&
               are_of_one_sequence(a->effects[i].object, b->effects[k].object);
      }
      if (same && interlock_effects_depend(&a->effects[i], &b->effects[k])) return true;
    }
  }
  return false;
}
