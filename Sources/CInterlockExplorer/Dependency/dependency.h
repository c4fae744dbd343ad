/// Which operations commute: the relation that every claim of "all orders" rests on.
///
/// Two operations are dependent if, from some state, their order changes what one of them returns,
/// the state that they leave, or whether one of them can be performed. The table may call a pair
/// dependent that is not, at the cost of more executions; the reverse loses orders.
///
/// Pure functions of their arguments, safe on every thread.
#ifndef INTERLOCK_DEPENDENCY_H
#define INTERLOCK_DEPENDENCY_H

#include "interlock_exploration.h"

/// The effect of an operation on its `object` has the operation's kind. The effect on its `other`
/// has an operation's kind or one of these.
enum {
  /// Wakes a thread that waits on the condition.
  INTERLOCK_EFFECT_WAKE = INTERLOCK_OPERATION_COUNT,
  /// Lets a timed wait on the object end. Depends on every effect except another of this kind.
  INTERLOCK_EFFECT_TOUCH,
  INTERLOCK_EFFECT_COUNT,
};

/// An operation has at most one effect on each of its two objects.
typedef struct {
  uint16_t kind;
  uint16_t flags;
  uint32_t object;
} interlock_effect;

/// Writes the effects of `operation` and returns their number: 0, 1 or 2.
unsigned interlock_effects(const interlock_operation *operation, interlock_effect effects[2]);

/// True if two effects on one object are dependent.
bool interlock_effects_depend(const interlock_effect *a, const interlock_effect *b);

bool interlock_operations_depend(const interlock_operation *a, const interlock_operation *b);

/// True if `kind` has a row in the table. Without one it depends on everything, and no strategy may
/// claim that all orders were run.
bool interlock_operation_has_row(uint16_t kind);

/// True if the operation depends on operations on any object: it moves time, or it is unknown.
bool interlock_operation_is_global(const interlock_operation *operation);

/// Why two effects on one object are dependent, or why they commute; for reports and tests. Never
/// NULL.
const char *interlock_dependency_reason(uint16_t a, uint16_t b);

/// The name of an operation or effect kind, as reports print it.
const char *interlock_operation_name(uint16_t kind);

#endif
