/// Where a call comes from: which code is a user's, and which a library's.
#ifndef INTERLOCK_PLACES_H
#define INTERLOCK_PLACES_H

#include "interlock_events.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Where the user's code made the call of an event, also where the event has only the next place.
/// To be called in the reader.
uintptr_t interlock_events_place(const interlock_event *event);

/// Where the function was called that made a call at `place`, by the frame pointers; 0 where they
/// do not tell. Only what lies in the next pages above is read: those of this thread's stack.
static inline uintptr_t interlock_events_outer(uintptr_t frame, uintptr_t place) {
  enum { most_steps = 4, farthest = 2048 };
  for (int step = 0; frame && step < most_steps; step++) {
    const uintptr_t *pair = (const uintptr_t *)frame;
    uintptr_t next = pair[0];
    if (next <= frame || next - frame > farthest || next % sizeof(uintptr_t)) return 0;
    if (pair[1] == place) return ((const uintptr_t *)next)[1];
    frame = next;
  }
  return 0;
}

/// Whether an address lies in code that a user may have written: in no library of the system or of
/// the toolchain.
bool interlock_events_is_users(uintptr_t address);
/// Whether a library of this name, without its folder, is one of the system or of the toolchain.
bool interlock_events_is_system_library(const char *name);
/// Whether it lies in Foundation, or in the runtime of Swift Concurrency. A Foundation that was
/// opened after the start is known once an address in it has been asked for by
/// `interlock_events_is_users`.
bool interlock_events_is_foundation(uintptr_t address);
bool interlock_events_is_concurrency(uintptr_t address);

/// Whether the runtime of Swift Concurrency made this queue for its tasks. Its width is the number
/// of processors, 1 on some machines, but no code may rely on that as on a serial queue.
bool interlock_events_is_task_pool(uintptr_t queue);

/// Whether the calling thread is in a call of the runtime that makes a task.
bool interlock_events_makes_task(void);

/// Whether a task, the calling thread's, is in a call of the runtime that runs closures where no
/// event has told of an `await` before them: those of a sequence.
bool interlock_events_task_is_blind(const void *task);

#ifdef __cplusplus
}
#endif

#endif
