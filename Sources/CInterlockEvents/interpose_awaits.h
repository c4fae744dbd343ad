// Where tasks wait, and where they go on: what the files of it share. Not for users of the target.
#ifndef INTERLOCK_INTERPOSE_AWAITS_H
#define INTERLOCK_INTERPOSE_AWAITS_H

#include "interpose.h"

#ifdef INTERLOCK_INTERPOSES

#include <unistd.h>

/// The head of every asynchronous call's context, as the ABI has it.
typedef struct interlock_async_context {
  struct interlock_async_context *parent;
  uintptr_t resume;
} interlock_async_context;

/// An executor's two words: what it is, an actor perhaps; and 0 for an actor without an executor of
/// its own.
typedef struct {
  uintptr_t identity, implementation;
} executor;

/// Tells what happens to a task.
static inline void tell_task(interlock_task_change change, uintptr_t task) {
  interlock_event event = {.kind = INTERLOCK_EVENT_TASK,
                           .object_kind = INTERLOCK_OBJECT_TASK,
                           .object = (const void *)task,
                           .value = change};
  interlock_publish(&event);
}

/// Has it told that the caller of this context, which makes a continuation, goes on; false where
/// there is no room.
bool interlock_await_begins(interlock_async_context *context) HIDDEN;

/// A task comes to a checked continuation or a stream, and goes on at `resume`. False where it is
/// known to wait already: within another call, as in the closure of AsyncStream(unfolding:), that
/// is where its end is met.
bool interlock_suspension_begins(uintptr_t task, uintptr_t resume, interlock_object_kind kind) HIDDEN;
/// It has come to its end.
void interlock_suspension_ends(uintptr_t task, interlock_object_kind kind) HIDDEN;

/// What a task is made with: a list, each with its kind in the lowest byte of its flags, as the ABI
/// has it.
typedef struct interlock_task_option {
  size_t flags;
  const struct interlock_task_option *next;
} interlock_task_option;

/// Whether a task is made in a task group.
bool interlock_is_in_group(const interlock_task_option *options) HIDDEN;
/// A task was made; `parent` made it in a task group, or is 0.
void interlock_child_made(uintptr_t child, uintptr_t parent) HIDDEN;

/// An `async let` has made its task.
void interlock_let_begins(uintptr_t let, uintptr_t task) HIDDEN;

#endif
#endif
