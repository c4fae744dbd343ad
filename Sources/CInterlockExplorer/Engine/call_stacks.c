// The call stacks in the user's code, for reports. Stored once each: a schedule has many steps and
// few different stacks.
#include "engine.h"

#ifdef INTERLOCK_INTERPOSES

#include <string.h>

#define ENGINE interlock_the_engine

uint32_t interlock_call_stack(uintptr_t place) {
  // Limits the work: unwinding each step of a long execution would take minutes, and later steps
  // repeat the stacks of earlier steps.
  enum { most_probes = 16, most_unwound = 1 << 15 };
  static uint64_t execution, unwound;
  if (execution != ENGINE.execution) {
    execution = ENGINE.execution;
    unwound = 0;
  }
  if (unwound++ >= most_unwound) return 0;
  interlock_user_frames found = {{0}};
  if (!interlock_user_stack(place, found.frames, INTERLOCK_STACK_DEPTH)) return 0;
  uint64_t hash = 0;
  for (int index = 0; index < INTERLOCK_STACK_DEPTH; index++) {
    hash = (hash ^ found.frames[index]) * 0x9e3779b97f4a7c15ull;
  }
  for (uint32_t probe = 0; probe < most_probes; probe++) {
    uint32_t index = (uint32_t)((hash >> 32) + probe) % INTERLOCK_STACKS_MOST;
    interlock_user_frames *kept = &ENGINE.details->stacks[index];
    if (!kept->frames[0]) *kept = found;
    if (memcmp(kept, &found, sizeof found) == 0) return index + 1;
  }
  return 0;
}

#endif
