/// An execution as stretches of steps of one thread: what shrinking works on.
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

/// Adds steps of a thread, to the last stretch if it is the thread's; false without memory.
bool interlock_stretches_add(interlock_stretches *list, uint32_t thread, uint32_t steps);

/// Runs one execution by the stretches: of each, its steps as far as the thread is enabled. Behind
/// the last one the current thread continues. The stretches and picks stay the caller's. Never
/// returns NULL for `strategy`.
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
