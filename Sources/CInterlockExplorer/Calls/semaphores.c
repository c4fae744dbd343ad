// Semaphores, whose values the real semaphores keep, and thread barriers.
#include "calls.h"

#ifdef INTERLOCK_INTERPOSES

typedef int semaphore_call(sem_t *);

static int value_of(sem_t *semaphore) {
  typedef int value_call(sem_t *, int *);
  int value = 0;
  INTERLOCK_REAL(value_call, sem_getvalue)(semaphore, &value);
  return value;
}

static bool has_value(interlock_logical_thread *thread, void *semaphore) {
  (void)thread;
  return value_of(semaphore) > 0;
}

int interlock_perform_semaphore_wait(sem_t *semaphore, clockid_t clock,
                                     const struct timespec *end, interlock_site site) {
  interlock_operation operation =
      interlock_operation_of(INTERLOCK_OPERATION_SEMAPHORE_WAIT,
                             interlock_object_for(semaphore, site.returns_to)->number, 0);
  uint64_t due = interlock_due(clock, end);
  if (due != INTERLOCK_NEVER) {
    interlock_note_try();
    operation.flags |= INTERLOCK_OPERATION_TIMED;
  }
  bool has_it = interlock_ask_until(operation, has_value, semaphore, due, site.returns_to,
                                    site.place);
  while (has_it) {
    uint32_t before = (uint32_t)value_of(semaphore);
    if (INTERLOCK_REAL(semaphore_call, sem_trywait)(semaphore) == 0) {
      operation.other = 1 + before;
      interlock_turned_out(operation);
      return 0;
    }
    has_it = interlock_wait_until(operation, has_value, semaphore, due, site.place);
  }
  operation.other = 1 + (uint32_t)value_of(semaphore);
  interlock_turned_out(interlock_flagged(operation, INTERLOCK_OPERATION_FAILED));
  errno = ETIMEDOUT;
  return -1;
}

int interlock_perform_semaphore_try(sem_t *semaphore, interlock_site site) {
  interlock_note_try();
  interlock_operation operation =
      interlock_operation_of(INTERLOCK_OPERATION_SEMAPHORE_TRY,
                             interlock_object_for(semaphore, site.returns_to)->number, 0);
  interlock_ask(operation, NULL, NULL, site.returns_to, site.place);
  operation.other = 1 + (uint32_t)value_of(semaphore);
  int result = INTERLOCK_REAL(semaphore_call, sem_trywait)(semaphore);
  interlock_turned_out(
      result == 0 ? operation : interlock_flagged(operation, INTERLOCK_OPERATION_FAILED));
  return result;
}

void interlock_perform_semaphore_look(sem_t *semaphore, interlock_site site) {
  interlock_note_try();
  // A try that takes nothing depends on the same calls.
  interlock_operation operation =
      interlock_operation_of(INTERLOCK_OPERATION_SEMAPHORE_TRY,
                             interlock_object_for(semaphore, site.returns_to)->number, 0);
  operation.flags = INTERLOCK_OPERATION_FAILED;
  interlock_name_call("sem_getvalue");
  interlock_ask(operation, NULL, NULL, site.returns_to, site.place);
  operation.other = 1 + (uint32_t)value_of(semaphore);
  interlock_turned_out(operation);
}

int interlock_perform_semaphore_post(sem_t *semaphore, interlock_site site) {
  interlock_operation operation =
      interlock_operation_of(INTERLOCK_OPERATION_SEMAPHORE_SIGNAL,
                             interlock_object_for(semaphore, site.returns_to)->number, 0);
  operation.other = 1 + (uint32_t)value_of(semaphore);
  interlock_release(operation, site.returns_to, site.place);
  return INTERLOCK_REAL(semaphore_call, sem_post)(semaphore);
}

// Barriers. In the object of a barrier, `value` counts the threads that have arrived, and `flags`
// the rounds.

/// Returns the number of threads, which glibc keeps in the third word; 0 if the layout differs.
static uint32_t threads_of(const pthread_barrier_t *barrier) {
  enum { at = 2, probe_count = 3 };
  static int layout_holds = -1;
  if (layout_holds < 0) {
    typedef int init_call(pthread_barrier_t *, const pthread_barrierattr_t *, unsigned);
    typedef int destroy_call(pthread_barrier_t *);
    pthread_barrier_t probe;
    INTERLOCK_REAL(init_call, pthread_barrier_init)(&probe, NULL, probe_count);
    layout_holds = ((const uint32_t *)&probe)[at] == probe_count;
    INTERLOCK_REAL(destroy_call, pthread_barrier_destroy)(&probe);
  }
  return layout_holds ? ((const uint32_t *)barrier)[at] : 0;
}

typedef struct {
  interlock_object *barrier;
  uint32_t round;
} arrival;

static bool round_is_over(interlock_logical_thread *thread, void *context) {
  (void)thread;
  const arrival *own = context;
  return own->barrier->flags != own->round;
}

int interlock_perform_barrier_wait(pthread_barrier_t *barrier, interlock_site site) {
  typedef int wait_call(pthread_barrier_t *);
  uint32_t threads = threads_of(barrier);
  if (threads == 0) {
    interlock_escaped("a barrier of an unknown layout");
    return INTERLOCK_REAL(wait_call, pthread_barrier_wait)(barrier);
  }
  interlock_object *object = interlock_object_for(barrier, site.returns_to);
  interlock_operation operation =
      interlock_operation_of(INTERLOCK_OPERATION_BARRIER_WAIT, object->number, 0);
  interlock_ask(operation, NULL, NULL, site.returns_to, site.place);
  if (++object->value == threads) {
    object->value = 0;
    object->flags++;
    interlock_turned_out(interlock_flagged(operation, INTERLOCK_OPERATION_ARRIVES_LAST));
    return PTHREAD_BARRIER_SERIAL_THREAD;
  }
  arrival own = {object, object->flags};
  interlock_point(interlock_flagged(operation, INTERLOCK_OPERATION_LEAVES_BARRIER), round_is_over,
                  &own, site.place);
  return 0;
}

#endif
