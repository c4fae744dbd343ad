/// The record of a step, kept beyond its execution: sleep sets and wake-up trees refer to it.
/// Included by `Strategies/` only.
#ifndef INTERLOCK_STEP_RECORD_H
#define INTERLOCK_STEP_RECORD_H

#include "../../Dependency/dependency.h"
#include "step_memory.h"

/// The objects known at a state: the highest numbers of both number ranges. Known objects have the
/// same numbers in every execution that shares the prefix; a higher number may mean a different
/// object in another execution.
typedef struct {
  uint32_t own, library;
} interlock_known_objects;

static const interlock_known_objects interlock_all_objects_known = {UINT32_MAX, UINT32_MAX};

/// Returns the objects known at both of two states.
static inline interlock_known_objects interlock_known_at_both(interlock_known_objects a,
                                                              interlock_known_objects b) {
  return (interlock_known_objects){a.own < b.own ? a.own : b.own,
                                   a.library < b.library ? a.library : b.library};
}

/// Immutable and reference-counted. Used by one carrier thread.
typedef struct interlock_step_record {
  uint32_t references;
  /// The objects known before the step.
  interlock_known_objects known_objects;
  /// A bit set of the step's object numbers modulo 64: steps without a common bit have no common
  /// object.
  uint64_t objects;
  bool is_global, has_unknown_kind;
  /// 32 bits: a step that makes ten thousand tasks has several operations for each.
  uint32_t operation_count, effect_count;
  interlock_operation *operations;
  interlock_effect effects[];
} interlock_step_record;

/// Returns a record with one reference, or NULL without memory. `memory` may be NULL.
interlock_step_record *interlock_step_record_create(interlock_step_memory *memory,
                                                    const interlock_operation *operations,
                                                    size_t count,
                                                    interlock_known_objects known_objects);

/// Returns a record of the operations of both records, in the memory of the first.
interlock_step_record *interlock_step_record_union(const interlock_step_record *a,
                                                   const interlock_step_record *b);

static inline interlock_step_record *interlock_step_record_retain(interlock_step_record *record) {
  if (record) record->references++;
  return record;
}

void interlock_step_record_release(interlock_step_record *record);

/// Compares the effects of two records that share an object. Called through the two functions
/// below.
bool interlock_step_effects_depend(const interlock_step_record *a, const interlock_step_record *b,
                                   interlock_known_objects known_objects);

/// True if two steps of one execution are dependent, that is, any two of their operations are.
static inline bool interlock_steps_depend(const interlock_step_record *a,
                                          const interlock_step_record *b) {
  if (a->is_global || b->is_global) return true;
  return (a->objects & b->objects) &&
         interlock_step_effects_depend(a, b, interlock_all_objects_known);
}

/// The same for steps of two executions that share a prefix with `known_objects`. Two objects that
/// are not known from the prefix count as one object, because their numbers do not tell.
static inline bool interlock_steps_may_depend(const interlock_step_record *a,
                                              const interlock_step_record *b,
                                              interlock_known_objects known_objects) {
  if (a->is_global || b->is_global) return true;
  if (known_objects.own == UINT32_MAX && !(a->objects & b->objects)) return false;
  return interlock_step_effects_depend(a, b, known_objects);
}

#endif
