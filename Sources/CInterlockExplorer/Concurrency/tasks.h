// Tasks of Swift Concurrency, whose parts come as jobs. Not for users of the target.
#ifndef INTERLOCK_CONCURRENCY_TASKS_H
#define INTERLOCK_CONCURRENCY_TASKS_H

#include "../Dispatch/items.h"
#include "interlock_task_performer.h"

#ifdef INTERLOCK_INTERPOSES
/// `is_new`: the first job of the task has been handed over, and no more is known of the task yet.
/// `is_own`: the execution made the task or the actor, or one of its tasks has called the actor.
enum { is_new = 1 << 4, is_own = 1 << 5 };

/// The runtime has made this task for the end of a sleep (known_tasks.c).
void interlock_note_end_of_sleep(uintptr_t task) HIDDEN;

typedef struct interlock_task_group interlock_task_group;

/// A task: the `state` of its object.
typedef struct interlock_model_task {
  interlock_object *object;
  /// The outermost task that it is a child of, where a cancellation may come from; or itself.
  const interlock_object *cancelled_as;
  /// The group that it was made in; NULL for none. That group keeps no results.
  interlock_task_group *group;
  bool is_discarding;
  /// The number of the object that orders its parts; 0 before the first.
  uint32_t parts;
  /// The thread that has awaited its end last.
  const interlock_logical_thread *awaited_by;
  /// Its last yields.
  interlock_row_of_waits waits;
  /// The number of its last continuation, 0 for none; where it was made; whether it was resumed.
  uint32_t continuation;
  uintptr_t continuation_place;
  bool is_resumed;
  /// The actor that its last call switches to; and its place in the list of the tasks that did.
  const interlock_object *to;
  struct interlock_model_task *switched_before;
  bool is_listed;
} model_task;

/// The runtime's job: its kind, 0 for a task; and what follows its head, of a job that only resumes
/// a task that task among it.
enum { at_kind = 32, kind_mask = 0xff, at_end_of_head = 64, resuming_kind = 195 };

/// True if a job is not a task's: it is an actor's, or the end of an isolated object.
bool interlock_is_job_of_actor(const char *job) HIDDEN;
/// By now the running thread's actor has been given up.
void interlock_model_actor_given_up(void) HIDDEN;

extern const interlock_task_performer interlock_task_model HIDDEN;

// Tasks and actors by address (known_tasks.c).

/// The task at an address, as it is in this execution.
model_task *interlock_task_at(uintptr_t task) HIDDEN;
void interlock_task_made(interlock_made_task made) HIDDEN;
/// True if the execution made the task or the actor, and the task has not ended.
bool interlock_is_own_at(uintptr_t address) HIDDEN;
/// True of a job that an explored thread submits, as it resumes a task that was made elsewhere: the
/// task runs on the real pool. The job of an actor is a part of the actor, or names it.
bool interlock_job_is_outside(uintptr_t job, bool is_first) HIDDEN;
/// Records the actor to which a task switches; 0 once the task has gone on.
void interlock_task_switches(uintptr_t task, uintptr_t actor) HIDDEN;
/// Why the orders are not known where a thread outside the exploration has a turn on an actor.
extern const char interlock_shared_actor[] HIDDEN;
/// The end of one of the tasks will not be seen.
extern bool interlock_has_unseen_end HIDDEN;
void interlock_known_tasks_reset(void) HIDDEN;
/// The calls that make tasks and have not returned.
extern interlock_making *interlock_makings HIDDEN;

/// A function of the runtime asks for a lock. Where the task is in a function of the library's
/// asynchronous sequences, this is all that shows that it looks at a stream or a group.
void interlock_runtime_locks(uintptr_t place) HIDDEN;

// Task groups (task_groups.c).

/// Records that the running step adds a task to the group at an address. Returns the group.
interlock_task_group *interlock_group_gains(uintptr_t address, bool has_destructor) HIDDEN;
/// Records in the running step that the task of that number has ended.
void interlock_group_task_ends(interlock_task_group *group, uint32_t task) HIDDEN;
/// Waits for the next task, or for all. `gives_up` says that others can observe that it waits.
void interlock_group_awaited(uintptr_t address, interlock_task_call call, bool gives_up,
                             uintptr_t place) HIDDEN;

// Continuations (continuations.c).

/// Records that a task makes a continuation of itself; waits for it; resumes it.
void interlock_continuation_made(uintptr_t task, uintptr_t place) HIDDEN;
void interlock_continuation_awaited(uintptr_t task, bool gives_up, uintptr_t place) HIDDEN;
void interlock_continuation_resumed(uintptr_t task, uintptr_t place) HIDDEN;

// Turns on actors (actor_turns.c).

/// Called when a task goes to an actor: one that is idle at the first of these calls is so again
/// after an execution that failed.
void interlock_actor_met(interlock_object *actor) HIDDEN;
/// Waits until it is the running thread's turn on the actor. False if the runtime's own queue
/// decides.
bool interlock_actor_entered(model_thread *thread, interlock_object *actor,
                             uintptr_t place) HIDDEN;
/// Ends the thread's turn on an actor, if it has one, as part of the running step.
void interlock_actor_left(model_thread *thread) HIDDEN;
/// Forgets what the execution before has bound.
void interlock_tasks_reset(void) HIDDEN;
/// In a state in which no thread can go on: returns true if a task has switched to an actor that no
/// explored thread is on, and records that as not controlled. A thread outside the exploration is
/// on the actor, and runs the task when it leaves it.
bool interlock_tasks_left(void) HIDDEN;

#endif
#endif
