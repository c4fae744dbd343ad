// Threads: creation, join, detach and end. The handle of a logical thread is the handle of the
// parked pthread whose stack it uses.
#include "calls.h"

#ifdef INTERLOCK_INTERPOSES

static interlock_logical_thread *thread_of(pthread_t handle) {
  interlock_stack *stack = interlock_stack_of(handle);
  return stack ? stack->thread : NULL;
}

int interlock_perform_create(pthread_t *thread, const pthread_attr_t *attributes,
                             void *(*function)(void *), void *argument, interlock_site site) {
  int state = PTHREAD_CREATE_JOINABLE;
  if (attributes) pthread_attr_getdetachstate(attributes, &state);
  interlock_logical_thread *made = interlock_spawn(
      function, argument, interlock_operation_of(INTERLOCK_OPERATION_START, 0, 0), NULL, NULL,
      state == PTHREAD_CREATE_JOINABLE ? INTERLOCK_THREAD_JOINABLE : INTERLOCK_THREAD_DETACHED,
      site.place);
  if (!made) return EAGAIN;
  *thread = made->stack->handle;
  return 0;
}

static bool has_ended(interlock_logical_thread *thread, void *context) {
  (void)thread;
  return ((const interlock_logical_thread *)context)->has_ended;
}

int interlock_perform_join(pthread_t handle, void **result, clockid_t clock,
                           const struct timespec *end, bool tries, interlock_site site) {
  interlock_logical_thread *thread = thread_of(handle);
  if (!thread) {
    typedef int join_call(pthread_t, void **);
    interlock_escaped("a join of a thread that is not explored");
    return INTERLOCK_REAL(join_call, pthread_join)(handle, result);
  }
  if (thread == interlock_current_thread()) return EDEADLK;
  if (!thread->is_joinable) return EINVAL;
  interlock_operation operation =
      interlock_operation_of(INTERLOCK_OPERATION_JOIN, thread->object, 0);
  uint64_t due = interlock_due(clock, end);
  if (due != INTERLOCK_NEVER) operation.flags |= INTERLOCK_OPERATION_TIMED;
  bool has_it = true;
  const bool has_limit = due != INTERLOCK_NEVER;
  if (tries || has_limit) interlock_note_try();
  if (tries) {
    operation.flags |= INTERLOCK_OPERATION_TRIED;
    interlock_ask(operation, NULL, NULL, site.returns_to, site.place);
    has_it = thread->has_ended;
  } else if (has_limit) {
    has_it = interlock_point_until(operation, has_ended, thread, due, site.place);
  } else {
    // The join is no choice: only the thread's end matters to others, and that comes before in any
    // order.
    has_it = interlock_wait_until(operation, has_ended, thread, due, site.place);
  }
  if (!has_it) {
    interlock_turned_out(interlock_flagged(operation, INTERLOCK_OPERATION_FAILED));
    return tries ? EBUSY : ETIMEDOUT;
  }
  if (result) *result = thread->result;
  interlock_thread_release(thread);
  return 0;
}

bool interlock_perform_detach(pthread_t handle) {
  interlock_logical_thread *thread = thread_of(handle);
  if (!thread) return false;
  interlock_thread_release(thread);
  return true;
}

void interlock_perform_exit(void *result) { interlock_thread_exit(result); }

#endif
