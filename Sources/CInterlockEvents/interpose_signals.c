// Dispatch's groups and semaphores.
#include "interpose_dispatch.h"

#ifdef INTERLOCK_INTERPOSES

#include <errno.h>

// Groups.

INTERPOSED void dispatch_group_enter(group_t group) {
  if (is_wanted(INTERLOCK_EVENT_ENTER)) {
    publish(INTERLOCK_EVENT_ENTER, INTERLOCK_OBJECT_GROUP, group, NULL, 0, USER_PLACE, NULL, 0);
  }
  REAL(object_call, dispatch_group_enter)(group);
}

INTERPOSED void dispatch_group_leave(group_t group) {
  // Not those of libdispatch itself, for blocks that it entered the group for.
  if (is_wanted(INTERLOCK_EVENT_RELEASE) && !interlock_is_dispatch(RETURNS_TO)) {
    publish(INTERLOCK_EVENT_RELEASE, INTERLOCK_OBJECT_GROUP, group, NULL, 0, USER_PLACE, NULL, 0);
  }
  REAL(object_call, dispatch_group_leave)(group);
}

INTERPOSED long dispatch_group_wait(group_t group, moment_t end) {
  typedef long wait(group_t, moment_t);
  wait *real = REAL(wait, dispatch_group_wait);
  if (end == at_once || interlock_marks.nested || !is_wanted(wait_kinds)) return real(group, end);
  uintptr_t place = USER_PLACE;
  uint32_t flags = end == forever ? 0 : INTERLOCK_FLAG_TIME_LIMIT;
  interlock_marks.nested++;
  // Who asks for an empty one does not wait.
  int error = errno;
  bool is_free = real(group, at_once) == 0;
  errno = error;
  interlock_marks.nested--;
  publish(INTERLOCK_EVENT_WAIT, INTERLOCK_OBJECT_GROUP, group, NULL,
          flags | (is_free ? INTERLOCK_FLAG_FREE : 0), place, NULL, 0);
  interlock_marks.nested++;
  long result = is_free ? 0 : real(group, end);
  interlock_marks.nested--;
  publish(result == 0 ? INTERLOCK_EVENT_ACQUIRE : INTERLOCK_EVENT_GIVE_UP, INTERLOCK_OBJECT_GROUP,
          group, NULL, 0, place, NULL, 0);
  return result;
}

typedef void *create_object(void);

INTERPOSED group_t dispatch_group_create(void) {
  group_t made = REAL(create_object, dispatch_group_create)();
  if (made && is_wanted(INTERLOCK_EVENT_CREATE)) {
    publish(INTERLOCK_EVENT_CREATE, INTERLOCK_OBJECT_GROUP, made, NULL, 0, USER_PLACE, NULL, 0);
  }
  return made;
}

// Semaphores.

INTERPOSED void *dispatch_semaphore_create(intptr_t value) {
  typedef void *create(intptr_t);
  void *made = REAL(create, dispatch_semaphore_create)(value);
  if (made && is_wanted(INTERLOCK_EVENT_CREATE)) {
    publish(INTERLOCK_EVENT_CREATE, INTERLOCK_OBJECT_SEMAPHORE, made, NULL, 0, USER_PLACE, NULL,
            value);
  }
  return made;
}

INTERPOSED_FAST(intptr_t, dispatch_semaphore_wait, wait_kinds, (void *semaphore, moment_t end),
                (semaphore, end)) {
  typedef intptr_t wait(void *, moment_t);
  wait *real = REAL(wait, dispatch_semaphore_wait);
  // libdispatch's idle workers wait at one too.
  uintptr_t returns_to = RETURNS_TO;
  if (interlock_marks.nested || !is_wanted(wait_kinds)) return real(semaphore, end);
  interlock_object_kind kind = interlock_is_dispatch(returns_to) ? INTERLOCK_OBJECT_IDLE
                                                                 : INTERLOCK_OBJECT_SEMAPHORE;
  uintptr_t place = USER_PLACE;
  // Most are used as locks, and most locks are free: what can be had at once is no wait.
  interlock_marks.nested++;
  int error = errno;
  intptr_t result = real(semaphore, at_once);
  if (result != 0 && end != at_once) {
    errno = error;
    interlock_publish_lock(INTERLOCK_EVENT_WAIT, kind, semaphore,
                           end == forever ? 0 : INTERLOCK_FLAG_TIME_LIMIT, place, 0);
    result = real(semaphore, end);
  }
  interlock_marks.nested--;
  if (result == 0 || end != at_once) {
    uint32_t flags = result != 0 || end == forever ? 0
                     : end == at_once              ? INTERLOCK_FLAG_TRIED
                                                   : INTERLOCK_FLAG_TIME_LIMIT;
    interlock_publish_lock(result == 0 ? INTERLOCK_EVENT_ACQUIRE : INTERLOCK_EVENT_GIVE_UP, kind,
                           semaphore, flags, place, 0);
  }
  return result;
}

INTERPOSED_FAST(intptr_t, dispatch_semaphore_signal, INTERLOCK_EVENT_RELEASE, (void *semaphore),
                (semaphore)) {
  typedef intptr_t signal(void *);
  signal *real = REAL(signal, dispatch_semaphore_signal);
  if (interlock_marks.nested || !is_wanted(INTERLOCK_EVENT_RELEASE) ||
      interlock_is_dispatch(RETURNS_TO)) {
    return real(semaphore);
  }
  interlock_publish_lock(INTERLOCK_EVENT_RELEASE, INTERLOCK_OBJECT_SEMAPHORE, semaphore, 0, RETURNS_TO,
                         THIS_FRAME);
  return real(semaphore);
}

#endif
