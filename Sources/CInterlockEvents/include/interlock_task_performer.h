/// The performer of explored threads' calls on tasks: see interlock_performer.h. Not part of the
/// module; included by the C targets only.
#ifndef INTERLOCK_TASK_PERFORMER_H
#define INTERLOCK_TASK_PERFORMER_H

#include "interlock_performer.h"

#ifdef INTERLOCK_INTERPOSES

/// The next operation of a task, or of code outside tasks.
typedef enum {
  /// Switches to the actor `object`; if that is 0, leaves the task's own actor or executor.
  INTERLOCK_TASK_CALL_SWITCH,
  /// Switches to an actor with a user's executor; to the main actor.
  INTERLOCK_TASK_CALL_SWITCH_EXECUTOR,
  INTERLOCK_TASK_CALL_SWITCH_MAIN,
  /// Leaves the scope of the `async let` whose task is `object`: the runtime cancels the task, and
  /// waits for its end.
  INTERLOCK_TASK_CALL_LEAVE_LET,
  /// Waits, in this order: for the task `object`; for the next task of the group `object` that
  /// ends, whose result the caller sees; for all tasks left in the group, of which the caller sees
  /// the first failure; for all tasks left, of which the caller sees nothing. Below: for a stream,
  /// and for the task's continuation.
  INTERLOCK_TASK_CALL_AWAIT,
  INTERLOCK_TASK_CALL_AWAIT_NEXT,
  INTERLOCK_TASK_CALL_AWAIT_FAILURE,
  INTERLOCK_TASK_CALL_AWAIT_REST,
  /// Cancels the tasks left in the group `object`, and waits for them.
  INTERLOCK_TASK_CALL_CANCEL_REST,
  /// Tests whether the discarding group `object` is empty.
  INTERLOCK_TASK_CALL_TEST_GROUP,
  INTERLOCK_TASK_CALL_AWAIT_STREAM,
  INTERLOCK_TASK_CALL_AWAIT_CONTINUATION,
  /// Submits the task to the pool again; sleeps; gives up the thread in another way.
  INTERLOCK_TASK_CALL_YIELD,
  INTERLOCK_TASK_CALL_SLEEP,
  INTERLOCK_TASK_CALL_PAUSE,
  /// Resumes the task `object` from its continuation; 0 for an unknown task.
  INTERLOCK_TASK_CALL_RESUME,
  /// Gives a stream an element, or ends it.
  INTERLOCK_TASK_CALL_FEED,
  /// Cancels the task `object`; if that is 0, the tasks of the calling task's group.
  INTERLOCK_TASK_CALL_CANCEL,
  /// Tests whether the task `object` is cancelled (0: the calling task), or adds or removes a
  /// cancellation handler.
  INTERLOCK_TASK_CALL_TEST_CANCEL,
  /// The task has returned from a wait that a cancellation ends, or from the scope of a
  /// cancellation handler, which is removed by then. Not a point.
  INTERLOCK_TASK_CALL_RETURN,
  /// The task has run to its end.
  INTERLOCK_TASK_CALL_COMPLETE,
  /// Makes a task; makes a continuation of the calling task.
  INTERLOCK_TASK_CALL_MAKE,
  INTERLOCK_TASK_CALL_MAKE_CONTINUATION,
} interlock_task_call;

/// The task that makes a call, and its actor; 0 for none. `has_executor`: the task is on an
/// executor, that of its actor, of the main actor, or a user's.
typedef struct {
  uintptr_t task, actor;
  bool has_executor;
} interlock_calling_task;

/// A new task. `parent` is the parent of a child task, and `group` the group in which it is made; 0
/// for none.
typedef struct {
  uintptr_t task, parent, group;
  /// The task's result has a destructor, so code may observe even a result that it never reads.
  bool has_destructor;
  /// The task's group keeps no results, and the task's failure may cancel the group.
  bool is_discarding;
  /// The performer is called when the task ends.
  bool has_end;
} interlock_made_task;

/// A call that makes a task, and has not returned. Before it returns, a user's executor may hand
/// the task over to a thread that runs it.
typedef struct interlock_making {
  /// The storage of an `async let`, 0 for another task; and the context of the task's closure.
  uintptr_t let, closure;
  /// The new task. Its address is 0 until its first part begins.
  interlock_made_task made;
  struct interlock_making *before;
} interlock_making;

typedef struct interlock_task_performer {
  /// Called before a call: lets other threads run first.
  void (*ask)(interlock_task_call call, uintptr_t object, interlock_calling_task caller,
              interlock_site site);
  /// Returns true if the task has yielded, so that it need not be submitted to a pool.
  bool (*yields)(interlock_calling_task caller, interlock_site site);
  void (*actor_made)(uintptr_t actor);
  void (*made)(interlock_made_task made);
  /// The address of the list of the calls that make tasks; the calls lie on the stacks of the
  /// execution.
  interlock_making **makings;
  /// True if the job belongs to no task or actor of the execution, so that the real call submits
  /// it. `is_first`: the calling thread is making the task.
  bool (*is_outside)(uintptr_t job, bool is_first);
  /// Called when the thread begins to run a part of a task or of an actor, on a user's executor or
  /// within the call that makes the task; and when that part ends.
  void (*part_begins)(uintptr_t job, bool is_on_executor, bool is_first);
  void (*part_ends)(void);
  /// Records that the body binds a task-local value.
  void (*bound_local)(void);
  /// Returns true if a task that inherits no task-local values must get those that the thread
  /// binds.
  bool (*gives_surroundings)(void);
} interlock_task_performer;

/// Installed with the performer of the C library's calls.
extern const interlock_task_performer *interlock_tasks HIDDEN;

#endif
#endif
