/// Calls on tasks that explored threads make: see interlock_performer.h. Not part of the module.
#ifndef INTERLOCK_TASK_PERFORMER_H
#define INTERLOCK_TASK_PERFORMER_H

#include "interlock_performer.h"

#ifdef INTERLOCK_INTERPOSES

/// The next operation of a task, or of code outside tasks.
typedef enum {
  /// Switches to the actor `object`; if that is 0, leaves its own actor.
  INTERLOCK_TASK_CALL_SWITCH,
  /// Waits for the task `object`; for the tasks of its group; for a stream; for a continuation.
  INTERLOCK_TASK_CALL_AWAIT,
  INTERLOCK_TASK_CALL_AWAIT_GROUP,
  INTERLOCK_TASK_CALL_AWAIT_STREAM,
  INTERLOCK_TASK_CALL_AWAIT_CONTINUATION,
  /// Submits itself to the pool again; gives up its thread in another way, such as a sleep.
  INTERLOCK_TASK_CALL_YIELD,
  INTERLOCK_TASK_CALL_PAUSE,
  /// Resumes the task `object` from its continuation; 0 for an unknown task.
  INTERLOCK_TASK_CALL_RESUME,
  /// Gives a stream an element, or ends it.
  INTERLOCK_TASK_CALL_FEED,
  /// Cancels the task `object`; if that is 0, the tasks of its group.
  INTERLOCK_TASK_CALL_CANCEL,
  /// Tests whether the task `object` is cancelled (0: the calling task), or adds or removes a
  /// cancellation handler.
  INTERLOCK_TASK_CALL_TEST_CANCEL,
  /// Has returned from a wait that a cancellation ends, or from the scope of a cancellation
  /// handler, which is removed by then. Not a point.
  INTERLOCK_TASK_CALL_RETURN,
  /// Has run to its end.
  INTERLOCK_TASK_CALL_COMPLETE,
  /// Makes a task.
  INTERLOCK_TASK_CALL_MAKE,
} interlock_task_call;

typedef struct interlock_task_performer {
  /// Lets other threads run first. `task` is the calling task and `actor` its actor; 0 for none.
  void (*ask)(interlock_task_call call, uintptr_t object, uintptr_t task, uintptr_t actor,
              interlock_site site);
  /// Returns true if the call has made the task yield, so that it need not be submitted to a pool.
  bool (*yields)(uintptr_t task, uintptr_t actor, interlock_site site);
  void (*actor_made)(uintptr_t actor);
  /// Records a new task; `parent` is the parent of a child task, else 0.
  void (*made)(uintptr_t task, uintptr_t parent);
  /// True if the job belongs to no task or actor of the execution: the real call submits it.
  /// `is_first` says that the calling thread is making the task.
  bool (*is_outside)(uintptr_t job, bool is_first);
  /// The thread begins to run a part of a task or of an actor: on an executor of the user's, or
  /// within the call that makes the task. Returns the actor that the thread was on, for the end of
  /// the part.
  uint32_t (*part_begins)(uintptr_t job, bool is_on_executor, bool is_first);
  void (*part_ends)(uint32_t outer_actor);
  /// Records that the body binds a task-local value.
  void (*bound_local)(void);
  /// Returns true if a task that inherits no task-local values is to get what the thread binds.
  bool (*gives_surroundings)(void);
} interlock_task_performer;

/// Installed with the performer of the C library's calls.
extern const interlock_task_performer *interlock_tasks HIDDEN;

#endif
#endif
