// Tasks of Swift Concurrency, whose parts come as jobs. Not for users of the target.
#ifndef INTERLOCK_CONCURRENCY_TASKS_H
#define INTERLOCK_CONCURRENCY_TASKS_H

#include "../Dispatch/items.h"
#include "interlock_task_performer.h"

#ifdef INTERLOCK_INTERPOSES
/// Of a task's object: its first job has been handed over, and no more is known of it yet. `owner`
/// is the object of the outermost task that it is a child of, where a cancellation may come from;
/// `value` is its parent. Of the object of a task or an actor: the execution made it, or, of an
/// actor, one of its tasks has called it. Of a task's object: it is in the list `switching`, where
/// `first` is the next one; `state` is the object of the actor that its last call switches to.
enum { is_new = 1 << 4, is_own = 1 << 5, is_listed = 1 << 6 };

/// The runtime's job: its kind, 0 for a task; and what follows its head, of a job that only resumes
/// a task that task among it.
enum { at_kind = 32, kind_mask = 0xff, at_end_of_head = 64, resuming_kind = 195 };

extern const interlock_task_performer interlock_task_model HIDDEN;
/// Forgets what the execution before has bound.
void interlock_tasks_reset(void) HIDDEN;
/// In a state in which no thread can go on: returns true if a task has switched to an actor that no
/// explored thread is on, and records that as not controlled. A thread outside the exploration is
/// on the actor, and runs the task when it leaves it.
bool interlock_tasks_left(void) HIDDEN;

#endif
#endif
