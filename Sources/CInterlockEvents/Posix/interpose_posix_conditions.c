// The C library's conditions, under their own names. A wait releases the mutex and acquires it
// again.
#include "interpose_posix.h"

#ifdef INTERLOCK_INTERPOSES

#include <pthread.h>

typedef int condition_wait(pthread_cond_t *, pthread_mutex_t *);
typedef int timed_condition_wait(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
typedef int clock_condition_wait(pthread_cond_t *, pthread_mutex_t *, clockid_t,
                                 const struct timespec *);

static void publish_condition(interlock_event_kind kind, const void *condition, const void *mutex,
                              uint32_t flags, uintptr_t place) {
  interlock_event event = {.kind = kind,
                           .object_kind = INTERLOCK_OBJECT_CONDITION,
                           .object = condition,
                           .other = mutex,
                           .flags = flags,
                           .place = place};
  interlock_publish_fast(&event);
}

INTERPOSED_FAST(int, pthread_cond_init, INTERLOCK_EVENT_CREATE,
                (pthread_cond_t *condition, const pthread_condattr_t *attributes),
                (condition, attributes)) {
  int result = FOUND(pthread_cond_init)(condition, attributes);
  note_made(result, condition);
  if (result == 0 && is_wanted(INTERLOCK_EVENT_CREATE)) {
    uintptr_t frame = THIS_FRAME, place = lock_place(RETURNS_TO, frame);
    publish_creation(INTERLOCK_OBJECT_CONDITION, condition, place, frame);
  }
  return result;
}

INTERPOSED int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  condition_wait *real = REAL(condition_wait, pthread_cond_wait);
  if (!is_wanted(lock_kinds | INTERLOCK_WANTED_CONTROL)) return real(condition, mutex);
  uintptr_t place = USER_PLACE;
  publish_condition(INTERLOCK_EVENT_WAIT, condition, mutex, 0, place);
  int result = interlock_marks.controlled
                   ? interlock_posix->condition_wait(condition, mutex, CLOCK_REALTIME, NULL,
                                                     (interlock_site){CALLER, place})
                   : real(condition, mutex);
  publish_condition(INTERLOCK_EVENT_ACQUIRE, condition, mutex, 0, place);
  return result;
}

#define CONDITION_TIMED(name, type, clock, parameters, arguments)                          \
  INTERPOSED int name parameters {                                                        \
    type *real = REAL(type, name);                                                        \
    if (!is_wanted(lock_kinds | INTERLOCK_WANTED_CONTROL)) return real arguments;         \
    uintptr_t place = USER_PLACE;                                                         \
    publish_condition(INTERLOCK_EVENT_WAIT, condition, mutex, limit_flag(end), place);    \
    int result = interlock_marks.controlled                                               \
                     ? interlock_posix->condition_wait(condition, mutex, clock, end,      \
                                                       (interlock_site){CALLER, place}) \
                     : real arguments;                                                    \
    publish_condition(INTERLOCK_EVENT_ACQUIRE, condition, mutex, 0, place);               \
    return result;                                                                        \
  }

CONDITION_TIMED(pthread_cond_timedwait, timed_condition_wait, CLOCK_REALTIME,
                (pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *end),
                (condition, mutex, end))
CONDITION_TIMED(pthread_cond_clockwait, clock_condition_wait, clock,
                (pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                 const struct timespec *end),
                (condition, mutex, clock, end))

SELDOM static int wake_controlled(pthread_cond_t *condition, bool all, uintptr_t returns_to,
                                  uintptr_t frame) {
  interlock_site site = {interlock_caller(returns_to, frame),
                         interlock_user_place(returns_to, frame)};
  return interlock_posix->condition_wake(condition, all, site);
}

INTERPOSED_FAST(int, pthread_cond_signal, INTERLOCK_EVENT_RELEASE, (pthread_cond_t *condition),
                (condition)) {
  if (is_wanted(INTERLOCK_EVENT_RELEASE)) {
    publish_condition(INTERLOCK_EVENT_RELEASE, condition, NULL, 0, USER_PLACE);
  }
  if (interlock_is_controlled()) {
    return wake_controlled(condition, false, RETURNS_TO, THIS_FRAME);
  }
  return FOUND(pthread_cond_signal)(condition);
}

INTERPOSED_FAST(int, pthread_cond_broadcast, INTERLOCK_EVENT_RELEASE,
                (pthread_cond_t *condition), (condition)) {
  if (is_wanted(INTERLOCK_EVENT_RELEASE)) {
    publish_condition(INTERLOCK_EVENT_RELEASE, condition, NULL, 0, USER_PLACE);
  }
  if (interlock_is_controlled()) {
    return wake_controlled(condition, true, RETURNS_TO, THIS_FRAME);
  }
  return FOUND(pthread_cond_broadcast)(condition);
}

#endif
