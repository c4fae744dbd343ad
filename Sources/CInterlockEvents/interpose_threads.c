// Threads that a thread starts: what it did before has happened before all that they do.
#include "interpose.h"

#ifdef INTERLOCK_INTERPOSES

#include <pthread.h>
#include <stdlib.h>

typedef void *thread_function(void *);

typedef struct {
  thread_function *function;
  void *argument;
} start;

static void publish(interlock_event_kind kind, const start *start, uintptr_t place) {
  interlock_event event = {.kind = kind,
                           .object_kind = INTERLOCK_OBJECT_THREAD,
                           .object = start,
                           .place = place};
  interlock_publish(&event);
}

BETWEEN static void *run_thread(void *argument) {
  start own = *(start *)argument;
  if (is_wanted(INTERLOCK_EVENT_START)) publish(INTERLOCK_EVENT_START, argument, (uintptr_t)own.function);
  free(argument);
  return own.function(own.argument);
}

INTERPOSED int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                              thread_function *function, void *argument) {
  typedef int create(pthread_t *, const pthread_attr_t *, thread_function *, void *);
  create *real = REAL(create, pthread_create);
  if (!is_wanted(INTERLOCK_EVENT_FORK)) return real(thread, attributes, function, argument);
  start *made = malloc(sizeof *made);
  // Without memory its beginning is not seen: to readers it comes after all.
  if (!made) return real(thread, attributes, function, argument);
  *made = (start){function, argument};
  publish(INTERLOCK_EVENT_FORK, made, USER_PLACE);
  int result = real(thread, attributes, run_thread, made);
  if (result != 0) free(made);
  return result;
}

#endif
