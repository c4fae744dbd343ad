// The points of explored threads in the Swift Concurrency runtime. Included by `CInterlockEvents/`
// only.
#ifndef INTERLOCK_CONTROLLED_TASKS_H
#define INTERLOCK_CONTROLLED_TASKS_H

#include "../Awaits/await_table.h"
#include "interlock_task_performer.h"

#ifdef INTERLOCK_INTERPOSES

static inline bool is_task_explored(void) {
  return (__atomic_load_n(&interlock_wanted, __ATOMIC_RELAXED) & INTERLOCK_WANTED_CONTROL) &&
         interlock_is_controlled() && interlock_tasks;
}

interlock_calling_task interlock_task_that_calls(void) HIDDEN;
void interlock_ask_task(interlock_task_call call, uintptr_t object, interlock_site site) HIDDEN;
/// True if the explored task has yielded, so that the runtime's call must not be made.
bool interlock_yields(uintptr_t place) HIDDEN;
/// Reaches the point of an awaited call of this kind. Takes the call's first arguments, its `self`
/// and its context, whose parent is the context of the calling function.
void interlock_ask_awaited(await_kind kind, const uintptr_t *arguments, const uintptr_t *object,
                           const interlock_async_context *context, uintptr_t place) HIDDEN;
/// Returns the task of a checked continuation; 0 once the continuation has been resumed. The
/// continuation is a reference to an object whose third word is the task.
static inline uintptr_t interlock_task_of_checked(const uintptr_t *continuation) {
  enum { at_task = 2 };
  // Relaxed: explored threads run on one carrier thread, which reads what it has written.
  return __atomic_load_n(&continuation[at_task], __ATOMIC_RELAXED);
}
/// Called when a task is made, with its first context or its first job, so that the task's end is
/// seen.
void interlock_explored_task_made(interlock_made_task made,
                                  interlock_async_context *context) HIDDEN;
void interlock_explored_let_made(uintptr_t job, uintptr_t parent) HIDDEN;
/// Called when an explored thread begins a call that makes a task.
void interlock_making_begins(interlock_making *making) HIDDEN;
/// Called when the call has made the task. Returns true if the task is known already, because it
/// began before the call returned.
bool interlock_making_ends(interlock_making *making, uintptr_t task) HIDDEN;
/// Called when a part of a task begins on a user's executor. If it is the first part, and the call
/// that makes the task has not returned, the task is known from now on.
void interlock_explored_part_begins(uintptr_t job) HIDDEN;
/// Returns the task of the `async let` with this storage, which `parent` has made; 0 if the
/// runtime's layout differs.
uintptr_t interlock_task_of_let(const void *let, uintptr_t parent) HIDDEN;

#endif
#endif
