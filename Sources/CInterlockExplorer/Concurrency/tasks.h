// Tasks of Swift Concurrency, whose parts run as jobs. Included by the explorer's files only.
#ifndef INTERLOCK_CONCURRENCY_TASKS_H
#define INTERLOCK_CONCURRENCY_TASKS_H

#include "../Dispatch/Model/items.h"
#include "interlock_task_performer.h"

#ifdef INTERLOCK_INTERPOSES
/// `is_new`: the first job of the task has been handed over, and nothing else is known of the task
/// yet. `is_own`: the execution made the task or the actor, or one of its tasks has called the
/// actor.
enum { is_new = 1 << 4, is_own = 1 << 5 };

/// Records that the runtime has made this task for the end of a sleep (known_tasks.c).
void interlock_note_end_of_sleep(uintptr_t task) HIDDEN;

typedef struct interlock_task_group interlock_task_group;

/// A task: the `state` of its object.
typedef struct interlock_model_task {
  interlock_object *object;
  /// The object of the outermost ancestor whose cancellation reaches this task; the task's own if
  /// there is none.
  const interlock_object *cancelled_as;
  /// The group in which the task was made; NULL for none. `is_discarding`: that group keeps no
  /// results.
  interlock_task_group *group;
  bool is_discarding;
  /// The number of the object that orders the task's parts; 0 before the first job.
  uint32_t parts;
  /// The last thread that has awaited the task's end.
  const interlock_logical_thread *awaited_by;
  /// The task's last yields in a row.
  interlock_row_of_waits waits;
  /// The task's last continuation: its number, 0 for none; where it was made; whether it was
  /// resumed.
  uint32_t continuation;
  uintptr_t continuation_place;
  bool is_resumed;
  /// The actor to which the task's last call switches, NULL for none; and the next task in the list
  /// of the tasks that have switched.
  const interlock_object *to;
  struct interlock_model_task *switched_before;
  bool is_listed;
} model_task;

/// The layout of the runtime's jobs: the offset of the kind (0 for a task), and the end of the
/// job's head. In a job that only resumes a task, the task is among the words behind the head.
enum { at_kind = 32, kind_mask = 0xff, at_end_of_head = 64, resuming_kind = 195 };

/// True if a job belongs to an actor, or ends an isolated object, and is not part of a task.
bool interlock_is_job_of_actor(const char *job) HIDDEN;
/// Records that the running thread's task has given up its actor by now.
void interlock_model_actor_given_up(void) HIDDEN;

extern const interlock_task_performer interlock_task_model HIDDEN;

// Tasks and actors by address (known_tasks.c).

/// Returns the data of this execution for the task at an address.
model_task *interlock_task_at(uintptr_t task) HIDDEN;
void interlock_task_made(interlock_made_task made) HIDDEN;
/// True if the execution made the task or the actor, and the task has not ended.
bool interlock_is_own_at(uintptr_t address) HIDDEN;
/// True if an explored thread submits the job and thereby resumes a task that was made elsewhere,
/// which runs on the real pool. An actor's job is a part of the actor, or names it.
bool interlock_job_is_outside(uintptr_t job, bool is_first) HIDDEN;
/// Records the actor to which a task switches; 0 once the task has continued.
void interlock_task_switches(uintptr_t task, uintptr_t actor) HIDDEN;
/// The name of the escaped operation, for reports, where a thread outside the exploration has a
/// turn on an actor.
extern const char interlock_shared_actor[] HIDDEN;
/// True if the end of one of the execution's tasks will not be seen.
extern bool interlock_has_unseen_end HIDDEN;
void interlock_known_tasks_reset(void) HIDDEN;
/// The calls that make tasks and have not returned.
extern interlock_making *interlock_makings HIDDEN;

/// Called when a function of the runtime asks for a lock. In a function of the library's
/// asynchronous sequences, such a lock is the only sign that the function looks at a stream or a
/// group.
void interlock_runtime_locks(uintptr_t place) HIDDEN;

// Task groups (task_groups.c).

/// Records that the running step adds a task to the group at an address. Returns the group.
interlock_task_group *interlock_group_gains(uintptr_t address, bool has_destructor) HIDDEN;
/// Records in the running step that the task of that number has ended.
void interlock_group_task_ends(interlock_task_group *group, uint32_t task) HIDDEN;
/// Tests whether a task of a discarding group has not ended.
void interlock_group_tested(uintptr_t address, uintptr_t place) HIDDEN;
/// Waits for the next task of the group, or for all. `gives_up`: other code can observe the wait.
void interlock_group_awaited(uintptr_t address, interlock_task_call call, bool gives_up,
                             uintptr_t place) HIDDEN;

// Continuations (continuations.c).

/// Record that a task makes a continuation of itself, wait for that continuation, and resume it.
void interlock_continuation_made(uintptr_t task, uintptr_t place) HIDDEN;
void interlock_continuation_awaited(uintptr_t task, bool gives_up, uintptr_t place) HIDDEN;
void interlock_continuation_resumed(uintptr_t task, uintptr_t place) HIDDEN;

// Turns on actors (actor_turns.c).

/// Called when a task goes to an actor. An actor that is idle at the first of these calls is made
/// idle again after an execution that failed.
void interlock_actor_met(interlock_object *actor) HIDDEN;
/// Waits for the running thread's turn on the actor. Returns false if the runtime's own queue
/// decides.
bool interlock_actor_entered(model_thread *thread, interlock_object *actor,
                             uintptr_t place) HIDDEN;
/// Ends the thread's turn on an actor, if it has one, as part of the running step.
void interlock_actor_left(model_thread *thread) HIDDEN;
/// Forgets the tasks and the bound values of the last execution.
void interlock_tasks_reset(void) HIDDEN;
/// For a state in which no thread can continue: returns true if a task has switched to an actor
/// that no explored thread is on, and records an escaped operation. A thread outside the
/// exploration is on the actor, and runs the task when it leaves the actor.
bool interlock_tasks_left(void) HIDDEN;

#endif
#endif
