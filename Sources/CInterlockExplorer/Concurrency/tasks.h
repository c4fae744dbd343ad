// Tasks of Swift Concurrency, whose parts come as jobs. Not for users of the target.
#ifndef INTERLOCK_CONCURRENCY_TASKS_H
#define INTERLOCK_CONCURRENCY_TASKS_H

#include "../Dispatch/items.h"
#include "interlock_task_performer.h"

#ifdef INTERLOCK_INTERPOSES
extern const interlock_task_performer interlock_task_model HIDDEN;
/// Forgets what the execution before has bound.
void interlock_tasks_reset(void) HIDDEN;
/// In a state in which no thread can go on: returns true if a task has switched to an actor that no
/// explored thread is on, and records that as not controlled. A thread outside the exploration is
/// on the actor, and runs the task when it leaves it.
bool interlock_tasks_left(void) HIDDEN;

#endif
#endif
