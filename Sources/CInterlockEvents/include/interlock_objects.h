/// Queues by their private layout, and the waits of tasks.
#ifndef INTERLOCK_OBJECTS_H
#define INTERLOCK_OBJECTS_H

#include "interlock_events.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Learns the offsets of a queue's width and target; call before the first `interlock_queue_look`.
///
/// Later calls do nothing. Callable from any thread, but not in a reader.
void interlock_queues_prepare(void);

/// Returns how many blocks of a live queue may run at once.
///
/// 1 for a serial queue and the main queue; 0 if there is no limit that a block could wait for (a
/// root queue), or if the width is not known. Sets `target` to the queue's target, 0 for a root
/// queue. Makes no call, so readers may use it.
uint32_t interlock_queue_look(uintptr_t queue, uintptr_t *target);

/// A task that waits for another task, for an actor, or for the tasks of its group.
typedef struct {
  uintptr_t task;
  /// `INTERLOCK_OBJECT_TASK`, `INTERLOCK_OBJECT_ACTOR` or `INTERLOCK_OBJECT_TASK_GROUP`.
  uint32_t kind;
  /// The other task or the actor. For a group it is the waiting task itself, plus one if the call
  /// is inside the group's scope, as `next()` is.
  uintptr_t awaited;
  uintptr_t place;
} interlock_await_view;

/// Returns the task that made `task` in a task group; 0 if its creation was not seen.
uintptr_t interlock_waits_parent(uintptr_t task);

/// The call site in the user's code that made a task, and the caller of that code: in debug builds
/// `Task.init` is a function of the user's code. Both are 0 if the creation was not seen.
typedef struct {
  uintptr_t place, outer;
} interlock_task_place;

/// Returns where a task was made. Usually known for the last 30,000 tasks.
interlock_task_place interlock_waits_task_maker(uintptr_t task);

/// Writes the tasks that wait for tasks, actors or groups.
///
/// Returns their number, which may exceed `capacity`. A task in a group's scope is listed also
/// while it runs or waits for something else. A listed task may be about to continue: it is stuck
/// only if no thread makes progress.
size_t interlock_waits_awaits(interlock_await_view *views, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
