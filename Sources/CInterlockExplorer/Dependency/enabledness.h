/// Decides whether a blocking operation could be performed after other steps than those that came
/// before it in the execution. The reversal of a race needs to know that: a lock that waited for an
/// unlock, for example, cannot come before that unlock.
///
/// Pure functions of their arguments.
#ifndef INTERLOCK_ENABLEDNESS_H
#define INTERLOCK_ENABLEDNESS_H

#include "interlock_exploration.h"

/// A step of an execution.
typedef struct {
  uint32_t thread;
  /// The threads that the step made, whose numbers are consecutive.
  uint32_t first_made, made;
  const interlock_operation *operations;
  size_t count;
} interlock_step;

typedef enum {
  INTERLOCK_DISABLED,
  INTERLOCK_ENABLED,
  /// The operations do not decide it: a timer, a timed wait, an unknown kind.
  INTERLOCK_ENABLEDNESS_UNKNOWN,
} interlock_enabledness;

/// True if an operation of this kind can be blocked at all.
bool interlock_operation_blocks(const interlock_operation *operation);

/// True if a thread that waits at the operation keeps its worker until another thread helps. Not
/// true for a lock: the lock's owner has a worker, and so reaches its unlock.
bool interlock_operation_holds_thread(const interlock_operation *operation);

/// Says whether `thread` could perform `pending` after the steps `chosen[0..<count]` alone
/// (ascending indexes into the execution's `steps[0..<all]`). The caller guarantees that `thread`
/// is at that operation then.
interlock_enabledness interlock_enabled_after(const interlock_step *steps, size_t all,
                                              const uint32_t *chosen, size_t count, uint32_t thread,
                                              const interlock_operation *pending);

/// The same for a block that waits in a queue.
interlock_enabledness interlock_block_enabled_after(const interlock_step *steps,
                                                    const uint32_t *chosen, size_t count,
                                                    uint32_t thread,
                                                    const interlock_operation *pending);

#endif
