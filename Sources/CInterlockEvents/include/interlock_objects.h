/// What is known of queues by their layout, and of what tasks await.
#ifndef INTERLOCK_OBJECTS_H
#define INTERLOCK_OBJECTS_H

#include "interlock_events.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Learns where a queue has its width and its target: before the first `interlock_queue_look`.
/// Calls after the first do nothing. May be called from any thread, but not in a reader.
void interlock_queues_prepare(void);

/// How many blocks of a queue that lives may run at once: 1 for a serial queue and the main queue;
/// 0 where there is no limit that a block could wait for (a root queue), or where it is not known.
/// `target` becomes the queue that its blocks run on in turn; 0 for a root queue. For readers: it
/// makes no call.
uint32_t interlock_queue_look(uintptr_t queue, uintptr_t *target);

/// A task that waits for another task, for an actor, or for the tasks of its group.
typedef struct {
  uintptr_t task;
  /// `INTERLOCK_OBJECT_TASK`, `INTERLOCK_OBJECT_ACTOR` or `INTERLOCK_OBJECT_TASK_GROUP`.
  uint32_t kind;
  /// The other task or the actor. For a group, the waiting task itself; one more where the call is
  /// one inside the group's scope, as `next()` is.
  uintptr_t awaited;
  uintptr_t place;
} interlock_await_view;

/// The task that made a task in a task group of its own; 0 where that was not seen.
uintptr_t interlock_waits_parent(uintptr_t task);

/// Writes the tasks that wait for tasks, actors or groups. A task in a group's scope is listed also
/// while it runs, or waits for something else. Returns how many there are, which may be more
/// than `capacity`. A task that goes on soon may be among them: one is stuck only if no thread goes
/// on.
size_t interlock_waits_awaits(interlock_await_view *views, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
