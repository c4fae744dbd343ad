// Declarations shared by the interposed calls of the C library. Included by `CInterlockEvents/`
// only.
#ifndef INTERLOCK_INTERPOSE_POSIX_H
#define INTERLOCK_INTERPOSE_POSIX_H

#include "../interpose.h"

#ifdef INTERLOCK_INTERPOSES

#include <errno.h>
#include <time.h>

enum { lock_kinds = INTERLOCK_EVENT_WAIT | INTERLOCK_EVENT_ACQUIRE | INTERLOCK_EVENT_GIVE_UP };

static inline void publish(interlock_event_kind kind, interlock_object_kind object_kind,
                    const void *object, uint32_t flags, uintptr_t place) {
  interlock_event event = {
      .kind = kind, .object_kind = object_kind, .object = object, .flags = flags, .place = place};
  interlock_publish_fast(&event);
}

/// Publishes that an object was made, with the frame, from which a reader finds the callers of the
/// function that made it.
static inline void publish_creation(interlock_object_kind object_kind, const void *object,
                                    uintptr_t place, uintptr_t frame) {
  interlock_event event = {.kind = INTERLOCK_EVENT_CREATE,
                           .object_kind = object_kind,
                           .object = object,
                           .place = place,
                           .frame = frame};
  interlock_publish_fast(&event);
}

/// Returns the flag of a wait that ends by itself at `end`. Returns 0 if `end` is more than 230
/// years away by any clock: a wait until `Date.distantFuture`, or for the largest number of
/// seconds, has no limit.
static inline uint32_t limit_flag(const struct timespec *end) {
  static const time_t never = 230 * 31556952ll;
  return end->tv_sec < never ? INTERLOCK_FLAG_TIME_LIMIT : 0;
}

/// Outlined: `note_made` calls it only while threads are explored.
void interlock_note_made(const volatile void *object) HIDDEN;
/// Called when a lock or a condition was initialised. The explorer forgets an earlier object at
/// that address. The check of memory marks the address as a lock: passing a property's `&lock` is
/// then no change of the property.
static inline void note_made(int result, const volatile void *object) {
  if (result == 0 && interlock_memory_lock_made) interlock_memory_lock_made((const void *)object);
  // Relaxed: see `is_wanted`.
  uint32_t wanted = __atomic_load_n(&interlock_wanted, __ATOMIC_RELAXED);
  if (result == 0 && (wanted & INTERLOCK_WANTED_CONTROL)) interlock_note_made(object);
}

/// Returns the call site of a call on a mutex or a condition. Looks for the user's call site only
/// above Foundation: the runtime's calls are many, deep below the user's code, and in no user's
/// deadlock.
static inline uintptr_t lock_place(uintptr_t returns_to, uintptr_t frame) {
  if (!interlock_is_foundation(returns_to)) return returns_to;
  return interlock_find_user_place(returns_to, frame);
}

static inline uint32_t flag_of_refusal(int result) {
  return result == EDEADLK ? INTERLOCK_FLAG_REFUSED : 0;
}

/// Publishes the result of a call that waits: 0 means that the thread holds the object. `flags` say
/// whether the call only tried or had a time limit.
static inline void publish_result(int result, interlock_object_kind object_kind, const void *object,
                           uint32_t flags, uintptr_t place) {
  publish(result == 0 ? INTERLOCK_EVENT_ACQUIRE : INTERLOCK_EVENT_GIVE_UP, object_kind, object,
          result == 0 ? flags : flag_of_refusal(result), place);
}

#endif
#endif
