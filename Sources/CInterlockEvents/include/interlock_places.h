/// The origin of a call: the user's code or a library.
#ifndef INTERLOCK_PLACES_H
#define INTERLOCK_PLACES_H

#include "interlock_events.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the user's call site of an event, even if the event has only a return address in a
/// library.
///
/// Must be called in the reader.
uintptr_t interlock_events_place(const interlock_event *event);

/// Returns where the function that made a call at `place` was called, by frame pointers; 0 if
/// unknown.
///
/// Reads only a few pages of this thread's stack, upwards from `frame`.
__attribute__((always_inline)) static inline uintptr_t interlock_events_outer(uintptr_t frame,
                                                                              uintptr_t place) {
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

/// Writes the callers of the function that made a call at `place`, innermost first, by frame
/// pointers; returns their number. Takes nanoseconds for each.
///
/// Reads only a few pages of this thread's stack, upwards from `frame`. A library's function
/// without a frame pointer is missing from the chain, together with the place: the callers then
/// begin behind the first frame.
static inline size_t interlock_events_callers(uintptr_t frame, uintptr_t place,
                                              uintptr_t *callers, size_t room) {
  enum { most_steps = 4, farthest = 2048 };
  uintptr_t seen[most_steps - 1];
  size_t seen_count = 0;
  // glibc puts a thread's control block at the top of the stack, but the main thread's below the
  // stack, at lower addresses.
  uintptr_t control = (uintptr_t)__builtin_thread_pointer();
  bool is_main = control < frame;
  size_t count = 0;
  bool is_found = false;
  for (size_t step = 0; frame && step < most_steps + room && count < room; step++) {
    const uintptr_t *pair = (const uintptr_t *)frame;
    uintptr_t next = pair[0], returns_to = pair[1];
    if (is_found) {
      if (returns_to < 4096 || (is_main && returns_to > frame)) break;
      callers[count++] = returns_to;
    } else if (returns_to == place) {
      is_found = true;
    } else if (step + 1 == most_steps) {
      break;
    } else if (step > 0) {
      seen[seen_count++] = returns_to;
    }
    bool is_near = next > frame && next - frame <= farthest && next % sizeof(uintptr_t) == 0;
    if (!is_near || (!is_main && next + 2 * sizeof(uintptr_t) > control)) break;
    frame = next;
  }
  if (is_found) return count;
  for (; count < seen_count && count < room; count++) callers[count] = seen[count];
  return count;
}

/// Returns true if an address lies in code that a user may have written.
///
/// That is code in no library of the system or the toolchain.
bool interlock_events_is_users(uintptr_t address);
/// Returns true if a library of this name, without its folder, belongs to the system or the
/// toolchain.
bool interlock_events_is_system_library(const char *name);
/// Return true if an address lies in Foundation, or in the Swift Concurrency runtime.
///
/// A Foundation loaded after the start is known once `interlock_events_is_users` was called with an
/// address in it.
bool interlock_events_is_foundation(uintptr_t address);
bool interlock_events_is_concurrency(uintptr_t address);

/// Returns true if the Swift Concurrency runtime made this queue for its tasks.
///
/// Its width is the number of processors, 1 on some machines, but no code may rely on it as a
/// serial queue.
bool interlock_events_is_task_pool(uintptr_t queue);

/// Returns true if the calling thread is in a runtime call that makes a task.
bool interlock_events_makes_task(void);

/// Returns true if `task`, which the calling thread runs, is in a runtime function of a sequence.
///
/// Such a function runs closures after awaits that no event shows.
bool interlock_events_task_is_blind(const void *task);

#ifdef __cplusplus
}
#endif

#endif
