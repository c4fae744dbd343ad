// Dispatch's groups and semaphores.
#include "controlled_dispatch.h"

#ifdef INTERLOCK_INTERPOSES

#include <errno.h>

// Groups.

SELDOM static void enter_controlled(group_t group, uintptr_t returns_to, uintptr_t frame) {
  interlock_site site = {returns_to, interlock_user_place(returns_to, frame)};
  interlock_dispatch->group_enter(group, site);
  if (!is_wanted(INTERLOCK_EVENT_ENTER)) return;
  publish(INTERLOCK_EVENT_ENTER, INTERLOCK_OBJECT_GROUP, group, NULL, 0, site.place, NULL, 0);
}

INTERPOSED void dispatch_group_enter(group_t group) {
  if (is_explored_call(RETURNS_TO)) {
    enter_controlled(group, RETURNS_TO, THIS_FRAME);
    return;
  }
  if (is_wanted(INTERLOCK_EVENT_ENTER)) {
    publish(INTERLOCK_EVENT_ENTER, INTERLOCK_OBJECT_GROUP, group, NULL, 0, USER_PLACE, NULL, 0);
  }
  REAL(object_call, dispatch_group_enter)(group);
}

/// Returns false if the caller must make the real call.
SELDOM static bool leave_controlled(group_t group, uintptr_t returns_to, uintptr_t frame) {
  const interlock_sync_call *sync = interlock_innermost_sync;
  // A synchronous call records that its item has run once it has left the queue.
  if (sync && group_of_work_item(sync->block) == group) return false;
  interlock_site site = {returns_to, interlock_user_place(returns_to, frame)};
  if (!interlock_dispatch->ask_leave(group, site)) return false;
  if (is_wanted(INTERLOCK_EVENT_RELEASE)) {
    publish(INTERLOCK_EVENT_RELEASE, INTERLOCK_OBJECT_GROUP, group, NULL, 0, site.place, NULL, 0);
  }
  interlock_dispatch->group_leave(group, site);
  return true;
}

INTERPOSED void dispatch_group_leave(group_t group) {
  if (is_explored_call(RETURNS_TO)) {
    if (leave_controlled(group, RETURNS_TO, THIS_FRAME)) return;
  } else if (is_wanted(INTERLOCK_EVENT_RELEASE) && !interlock_is_dispatch(RETURNS_TO)) {
    // Calls of libdispatch itself are not published: it leaves groups for blocks for which it
    // entered them.
    publish(INTERLOCK_EVENT_RELEASE, INTERLOCK_OBJECT_GROUP, group, NULL, 0, USER_PLACE, NULL, 0);
  }
  REAL(object_call, dispatch_group_leave)(group);
}

typedef long group_wait(group_t, moment_t);

/// A call that does not wait: a poll that finds the group in use is no event.
SELDOM static long try_group(group_t group, group_wait *real, uintptr_t returns_to,
                             uintptr_t frame) {
  interlock_marks.nested++;
  long result = real(group, at_once);
  interlock_marks.nested--;
  if (result != 0) return result;
  uintptr_t place = interlock_user_place(returns_to, frame);
  publish(INTERLOCK_EVENT_WAIT, INTERLOCK_OBJECT_GROUP, group, NULL,
          INTERLOCK_FLAG_TIME_LIMIT | INTERLOCK_FLAG_FREE, place, NULL, 0);
  publish(INTERLOCK_EVENT_ACQUIRE, INTERLOCK_OBJECT_GROUP, group, NULL, 0, place, NULL, 0);
  return 0;
}

INTERPOSED long dispatch_group_wait(group_t group, moment_t end) {
  group_wait *real = REAL(group_wait, dispatch_group_wait);
  if (is_explored_call(RETURNS_TO)) return interlock_controlled_group_wait(group, end, SITE);
  if (interlock_marks.nested || !is_wanted(wait_kinds)) return real(group, end);
  if (end == at_once) return try_group(group, real, RETURNS_TO, THIS_FRAME);
  uintptr_t place = USER_PLACE;
  uint32_t flags = end == forever ? 0 : INTERLOCK_FLAG_TIME_LIMIT;
  interlock_marks.nested++;
  // A call on an empty group does not wait, so publish no wait.
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

/// Publishes that an object was made, with the frame, from which a reader finds the callers of the
/// function that made it.
static inline void publish_creation(interlock_object_kind kind, const void *object, int64_t value,
                                    uintptr_t returns_to, uintptr_t frame) {
  interlock_event event = {.kind = INTERLOCK_EVENT_CREATE,
                           .object_kind = kind,
                           .object = object,
                           .place = interlock_user_place(returns_to, frame),
                           .frame = frame,
                           .value = value};
  interlock_publish_fast(&event);
}

typedef void *create_object(void);

INTERPOSED group_t dispatch_group_create(void) {
  group_t made = REAL(create_object, dispatch_group_create)();
  if (is_explored_call(RETURNS_TO)) interlock_dispatch->group_made(made);
  if (made && is_wanted(INTERLOCK_EVENT_CREATE)) {
    publish_creation(INTERLOCK_OBJECT_GROUP, made, 0, RETURNS_TO, THIS_FRAME);
  }
  return made;
}

// Semaphores.

INTERPOSED void *dispatch_semaphore_create(intptr_t value) {
  typedef void *create(intptr_t);
  void *made = REAL(create, dispatch_semaphore_create)(value);
  if (made && is_explored_call(RETURNS_TO)) interlock_dispatch->semaphore_made(made, value);
  if (made && is_wanted(INTERLOCK_EVENT_CREATE)) {
    publish_creation(INTERLOCK_OBJECT_SEMAPHORE, made, value, RETURNS_TO, THIS_FRAME);
  }
  return made;
}

typedef intptr_t semaphore_wait(void *, moment_t);

/// The slow path: the semaphore is not available at once, or the call only tries or has a limit.
SELDOM static intptr_t wait_for_semaphore(void *semaphore, moment_t end, semaphore_wait *real,
                                          intptr_t result, interlock_object_kind kind,
                                          uintptr_t place) {
  if (end == at_once) {
    interlock_marks.nested--;
    if (result == 0) {
      interlock_publish_lock(INTERLOCK_EVENT_ACQUIRE, kind, semaphore, INTERLOCK_FLAG_TRIED, place,
                             0);
    }
    return result;
  }
  uint32_t limit = end == forever ? 0 : INTERLOCK_FLAG_TIME_LIMIT;
  if (result != 0) {
    interlock_publish_lock(INTERLOCK_EVENT_WAIT, kind, semaphore, limit, place, 0);
    result = real(semaphore, end);
  }
  interlock_marks.nested--;
  interlock_publish_lock(result == 0 ? INTERLOCK_EVENT_ACQUIRE : INTERLOCK_EVENT_GIVE_UP, kind,
                         semaphore, result == 0 ? limit : 0, place, 0);
  return result;
}

INTERPOSED_FAST(intptr_t, dispatch_semaphore_wait, wait_kinds, (void *semaphore, moment_t end),
                (semaphore, end)) {
  semaphore_wait *real = FOUND(dispatch_semaphore_wait);
  if (is_controlled_call(RETURNS_TO))
    return interlock_controlled_semaphore_wait(semaphore, end, SITE);
  if (interlock_marks.nested || interlock_marks.hidden) return real(semaphore, end);
  // libdispatch's idle workers wait for a semaphore as well.
  interlock_object_kind kind =
      interlock_is_dispatch(RETURNS_TO) ? INTERLOCK_OBJECT_IDLE : INTERLOCK_OBJECT_SEMAPHORE;
  uintptr_t place = USER_PLACE;
  // Most semaphores are used as locks, and most locks are free: acquiring one at once is no wait.
  interlock_marks.nested++;
  int error = errno;
  intptr_t result = real(semaphore, at_once);
  if (result != 0 || end != forever) {
    if (end != at_once) errno = error;
    return wait_for_semaphore(semaphore, end, real, result, kind, place);
  }
  interlock_marks.nested--;
  interlock_publish_lock(INTERLOCK_EVENT_ACQUIRE, kind, semaphore, 0, place, 0);
  return 0;
}

INTERPOSED_FAST(intptr_t, dispatch_semaphore_signal, INTERLOCK_EVENT_RELEASE, (void *semaphore),
                (semaphore)) {
  if (is_controlled_call(RETURNS_TO)) {
    return interlock_controlled_semaphore_signal(semaphore, SITE, THIS_FRAME);
  }
  if (!interlock_marks.nested && !interlock_marks.hidden && !interlock_is_dispatch(RETURNS_TO)) {
    interlock_publish_lock(INTERLOCK_EVENT_RELEASE, INTERLOCK_OBJECT_SEMAPHORE, semaphore, 0,
                           RETURNS_TO, THIS_FRAME);
  }
  return FOUND(dispatch_semaphore_signal)(semaphore);
}

#endif
