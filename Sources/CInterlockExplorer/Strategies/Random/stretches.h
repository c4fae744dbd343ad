/// An execution as stretches, each a number of steps of one thread. Shrinking works on stretches.
/// Included by `Strategies/` only.
#ifndef INTERLOCK_STRETCHES_H
#define INTERLOCK_STRETCHES_H

#include "sampling.h"

typedef struct {
  uint32_t thread, steps;
} interlock_stretch;

typedef struct {
  interlock_stretch *stretches;
  size_t count, capacity;
} interlock_stretches;

/// Adds steps of a thread, to the last stretch if that is the same thread's. Returns false without
/// memory.
bool interlock_stretches_add(interlock_stretches *list, uint32_t thread, uint32_t steps);

/// A strategy for one execution that follows the stretches: it takes the steps of each stretch
/// while the thread is enabled. After the last stretch the current thread continues. The stretches
/// and picks stay the caller's.
typedef struct {
  interlock_strategy strategy;
  const interlock_stretches *list;
  const interlock_schedule *picks;
  size_t next, next_pick;
  uint32_t taken;
  bool has_begun;
} interlock_guide;
interlock_guide interlock_guide_make(const interlock_stretches *list,
                                     const interlock_schedule *picks);

#endif
