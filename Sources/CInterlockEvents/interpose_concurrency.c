// The boundary of Swift Concurrency: a task gives its thread up until its continuation is resumed. Its jobs come as
// blocks of Dispatch (interpose_async.c).
#include "interpose.h"

#if defined(INTERLOCK_INTERPOSES) && defined(__has_attribute)
#if __has_attribute(swiftcall)

#define SWIFT_CALL __attribute__((swiftcall))

static void publish(interlock_event_kind kind, const void *task, uintptr_t place, uintptr_t outer) {
  interlock_event event = {.kind = kind,
                           .object_kind = INTERLOCK_OBJECT_CONTINUATION,
                           .object = task,
                           .other = (const void *)outer,
                           .place = place};
  interlock_publish(&event);
}

/// Of the same registers as the runtime's: the context of the wait, and flags; gives the task.
INTERPOSED SWIFT_CALL void *swift_continuation_init(interlock_async_context *context, uintptr_t flags) {
  typedef SWIFT_CALL void *init(interlock_async_context *, uintptr_t);
  void *task = REAL(init, swift_continuation_init)(context, flags);
  if (is_wanted(INTERLOCK_EVENT_CREATE)) {
    // In debug builds `withUnsafeContinuation` is a function of its own, and the user's code is its caller.
    publish(INTERLOCK_EVENT_CREATE, task, USER_PLACE, context->parent ? context->parent->resume + 1 : 0);
  }
  return task;
}

INTERPOSED SWIFT_CALL void swift_continuation_resume(void *task) {
  typedef SWIFT_CALL void resume(void *);
  if (is_wanted(INTERLOCK_EVENT_RELEASE)) publish(INTERLOCK_EVENT_RELEASE, task, USER_PLACE, 0);
  REAL(resume, swift_continuation_resume)(task);
}

INTERPOSED SWIFT_CALL void swift_continuation_throwingResume(void *task) {
  typedef SWIFT_CALL void resume(void *);
  if (is_wanted(INTERLOCK_EVENT_RELEASE)) publish(INTERLOCK_EVENT_RELEASE, task, USER_PLACE, 0);
  REAL(resume, swift_continuation_throwingResume)(task);
}

INTERPOSED SWIFT_CALL void swift_continuation_throwingResumeWithError(void *task, void *error) {
  typedef SWIFT_CALL void resume(void *, void *);
  if (is_wanted(INTERLOCK_EVENT_RELEASE)) publish(INTERLOCK_EVENT_RELEASE, task, USER_PLACE, 0);
  REAL(resume, swift_continuation_throwingResumeWithError)(task, error);
}

#endif
#endif
