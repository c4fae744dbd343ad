/// Calls on tasks that explored threads make: see interlock_performer.h. No part of the module.
#ifndef INTERLOCK_TASK_PERFORMER_H
#define INTERLOCK_TASK_PERFORMER_H

#include "interlock_performer.h"

#ifdef INTERLOCK_INTERPOSES

/// What a task, or code that is in none, is about to do.
typedef enum {
  /// Goes to the actor `object`, or, where that is 0, from its own to none.
  INTERLOCK_TASK_CALL_SWITCH,
  /// Waits for the task `object`; for the tasks of its group; for a stream; for a continuation.
  INTERLOCK_TASK_CALL_AWAIT,
  INTERLOCK_TASK_CALL_AWAIT_GROUP,
  INTERLOCK_TASK_CALL_AWAIT_STREAM,
  INTERLOCK_TASK_CALL_AWAIT_CONTINUATION,
  /// Hands itself over to the pool again; gives its thread up in another way, as one that sleeps.
  INTERLOCK_TASK_CALL_YIELD,
  INTERLOCK_TASK_CALL_PAUSE,
  /// Resumes the task `object` from its continuation; 0 for one that is not known.
  INTERLOCK_TASK_CALL_RESUME,
  /// Gives a stream an element, or ends it.
  INTERLOCK_TASK_CALL_FEED,
  /// Cancels the task `object`, or, where that is 0, those of its group.
  INTERLOCK_TASK_CALL_CANCEL,
  /// Asks whether a task is cancelled, 0 for its own, or adds or removes a handler of that.
  INTERLOCK_TASK_CALL_TEST_CANCEL,
  /// Has run to its end.
  INTERLOCK_TASK_CALL_COMPLETE,
  /// Makes a task.
  INTERLOCK_TASK_CALL_MAKE,
} interlock_task_call;

typedef struct interlock_task_performer {
  /// Lets other threads go first. `task` is the calling one and `actor` the one that it is on; 0
  /// for none.
  void (*ask)(interlock_task_call call, uintptr_t object, uintptr_t task, uintptr_t actor,
              interlock_site site);
  /// True if the task has yielded to others already, and needs not be handed to a pool for it.
  bool (*yields)(uintptr_t task, uintptr_t actor, interlock_site site);
  /// A task was made; `parent` is that of a child, else 0.
  void (*made)(uintptr_t task, uintptr_t parent);
} interlock_task_performer;

/// Installed with the performer of the C library's calls.
extern const interlock_task_performer *interlock_tasks HIDDEN;

#endif
#endif
