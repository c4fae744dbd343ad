// Shared by the two files that intercept where an asynchronous call ends. Not for users of the
// target.
#ifndef INTERLOCK_AWAIT_CALLS_H
#define INTERLOCK_AWAIT_CALLS_H

#include "doors.h"
#include "interpose_awaits.h"
#include "layouts.h"

#if defined(INTERLOCK_INTERPOSES) && defined(__has_attribute)
#if __has_attribute(swiftcall)

/// The result of the first check: before a task makes a call, there is nothing to check.
typedef enum { UNKNOWN, SO, NOT_SO } first_look;

static inline bool note_first(first_look *look, bool is_so) {
  // Relaxed: threads that check at once find the same.
  __atomic_store_n(look, is_so ? SO : NOT_SO, __ATOMIC_RELAXED);
  return interlock_layout_note(INTERLOCK_LAYOUT_CONTEXT, is_so);
}

static inline uintptr_t current_task(void) {
  typedef __attribute__((swiftcall)) void *current(void);
  return (uintptr_t)REAL(current, swift_task_getCurrent)();
}

/// Ends the process: a task resumes that no entry describes.
void interlock_await_fail(void) HIDDEN __attribute__((noreturn));

#endif
#endif
#endif
