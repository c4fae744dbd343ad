// Declarations shared by the two files that intercept the end of an asynchronous call. Included by
// `CInterlockEvents/` only.
#ifndef INTERLOCK_AWAIT_CALLS_H
#define INTERLOCK_AWAIT_CALLS_H

#include "../doors.h"
#include "interpose_awaits.h"
#include "../Code/layouts.h"

#if defined(INTERLOCK_INTERPOSES) && defined(__has_attribute)
#if __has_attribute(swiftcall)

/// The result of a layout's first check, which the first call of a task makes.
typedef enum { UNKNOWN, SO, NOT_SO } first_look;

static inline bool note_first(first_look *look, bool is_so) {
  // Relaxed: threads that check at the same time find the same result.
  __atomic_store_n(look, is_so ? SO : NOT_SO, __ATOMIC_RELAXED);
  return interlock_layout_note(INTERLOCK_LAYOUT_CONTEXT, is_so);
}

static inline uintptr_t current_task(void) {
  typedef __attribute__((swiftcall)) void *current(void);
  return (uintptr_t)REAL(current, swift_task_getCurrent)();
}

/// Returns the executor of the calling task.
executor interlock_current_executor(void) HIDDEN;

static inline uintptr_t actor_of(executor executor) {
  return executor.implementation == 0 ? executor.identity : 0;
}

/// Ends the process, because a task resumes that no entry describes.
void interlock_await_fail(void) HIDDEN __attribute__((noreturn));

#endif
#endif
#endif
