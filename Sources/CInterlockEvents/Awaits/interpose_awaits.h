// Declarations shared by the files that intercept the waits of tasks. Included by
// `CInterlockEvents/` only.
#ifndef INTERLOCK_INTERPOSE_AWAITS_H
#define INTERLOCK_INTERPOSE_AWAITS_H

#include "../interpose.h"

#ifdef INTERLOCK_INTERPOSES

#include <unistd.h>

/// The head of every asynchronous call's context (ABI).
typedef struct interlock_async_context {
  struct interlock_async_context *parent;
  uintptr_t resume;
} interlock_async_context;

/// An executor's two words: its identity, perhaps an actor, and its implementation, which is 0 for
/// an actor without a custom executor.
typedef struct {
  uintptr_t identity, implementation;
} executor;

/// Publishes a change of a task.
static inline void publish_task(interlock_task_change change, uintptr_t task) {
  interlock_event event = {.kind = INTERLOCK_EVENT_TASK,
                           .object_kind = INTERLOCK_OBJECT_TASK,
                           .object = (const void *)task,
                           .value = change};
  interlock_publish(&event);
}

/// Intercepts the end of a wait: publishes where the caller of this context continues, which makes
/// a continuation. Returns false if the table is full.
bool interlock_await_begins(interlock_async_context *context) HIDDEN;

/// Records that a task reaches a checked continuation or a stream, and resumes at `resume`. Returns
/// false if the table is full, or if an outer call of the task is already recorded as a wait, as in
/// the closure of AsyncStream(unfolding:). The end of the outer call is then intercepted.
bool interlock_suspension_begins(uintptr_t task, uintptr_t resume,
                                 interlock_object_kind kind) HIDDEN;
/// Records that the wait has ended.
void interlock_suspension_ends(uintptr_t task, interlock_object_kind kind) HIDDEN;

/// One of the options of a task's creation, which form a list. The lowest byte of the flags is its
/// kind (ABI).
typedef struct interlock_task_option {
  size_t flags;
  const struct interlock_task_option *next;
} interlock_task_option;

/// Returns the task group in which a task is made; 0 for none.
uintptr_t interlock_group_of(const interlock_task_option *options) HIDDEN;
/// Records a new task; `parent` is the task that made it in a task group, or 0.
void interlock_child_made(uintptr_t child, uintptr_t parent) HIDDEN;
/// Records where a task was made.
void interlock_note_maker(uintptr_t task, interlock_task_place place) HIDDEN;

/// Records that an `async let` has made its task.
void interlock_let_begins(uintptr_t let, uintptr_t task) HIDDEN;

#endif
#endif
