/// The unstructured tasks (`Task { }`, `Task.detached`), the threads, and Dispatch's queues,
/// sources and delayed blocks that were made and have not ended. Each has a scope, such as a test,
/// whose code made it.
#ifndef INTERLOCK_LIVES_H
#define INTERLOCK_LIVES_H

#include "interlock_objects.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The kinds of objects that a scope makes.
typedef enum {
  INTERLOCK_LIVE_TASK,
  INTERLOCK_LIVE_THREAD,
  INTERLOCK_LIVE_QUEUE,
  INTERLOCK_LIVE_SOURCE,
  INTERLOCK_LIVE_TIMER,
  /// A block that is queued at a later time, and has not begun.
  INTERLOCK_LIVE_DELAYED_BLOCK,
  /// The task that runs the code of a scope. Never listed.
  INTERLOCK_LIVE_SCOPE,
} interlock_live_kind;

/// Whether a queue or a source can run its blocks.
typedef enum {
  INTERLOCK_LIVE_ACTIVE,
  INTERLOCK_LIVE_SUSPENDED,
  /// The queue or source was not activated.
  INTERLOCK_LIVE_INACTIVE,
} interlock_live_state;

/// A task or a thread that has not ended; a queue that is suspended or inactive; a source that is
/// neither cancelled nor released; a delayed block that has not begun.
typedef struct {
  /// The address of the task or object; an arbitrary number for a thread.
  uintptr_t task;
  /// The number of a thread once it has begun; otherwise 0.
  uint32_t thread;
  interlock_live_kind kind;
  interlock_live_state state;
  /// Increases from task to task, so that another task at the same address has another number.
  uint64_t number;
  /// The scope of the code that made the object; 0 for none.
  uint64_t scope;
  interlock_task_place place;
} interlock_live_task;

/// Returns the scope of the calling code; 0 for none.
typedef uint64_t (*interlock_scope_function)(void);

/// Follows the tasks, threads and objects that are made from now on, for the rest of the process's
/// life: those that code in a scope makes, and with `all` those that any code makes. A later call
/// adds to an earlier one; `scope` may be NULL. Objects that a scope's task makes belong to the
/// same scope.
///
/// Returns NULL, or the reason why tasks cannot be followed. Callable from any thread.
const char *interlock_lives_follow(interlock_scope_function scope, bool all);

/// Writes the objects that a scope has made and left; with `all`, the objects of all scopes and of
/// none. Returns their number, which may exceed `capacity`. Takes nanoseconds for a scope without
/// any.
size_t interlock_lives_tasks(uint64_t scope, bool all, interlock_live_task *tasks,
                             size_t capacity);

/// Between the two calls, the calling thread's task runs the code of a scope. Locks that its tasks
/// in groups leave locked then belong to the scope.
void interlock_lives_enter(uint64_t scope);
void interlock_lives_leave(uint64_t scope);

/// Forgets the objects of a scope. No call may ask for them afterwards.
void interlock_lives_forget(uint64_t scope);

/// Returns the scope of a task or of its parents, also just after the task's end on the calling
/// thread. For a task of 0, returns the scope of the calling thread or its block. Returns 0 if it
/// is not known. Sets `is_wanted` to true if there is a scope, or if all code is followed.
uint64_t interlock_lives_scope(uintptr_t task, bool *is_wanted);

/// Returns the task that the calling thread runs; 0 for none.
uintptr_t interlock_lives_current(void);

/// Returns how many tasks and objects could not be followed since the start, for want of room.
uint64_t interlock_lives_lost(void);

/// Returns a number that changes when a followed object ends or is no longer left behind, and with
/// `interlock_lives_wake`.
uint32_t interlock_lives_ends(void);
/// Ends the waits of all threads in `interlock_lives_wait`.
void interlock_lives_wake(void);
/// Waits until `interlock_lives_ends` differs from `seen`, or until `due` in nanoseconds of the
/// monotonic clock. May return early. The thread must be hidden from the events.
void interlock_lives_wait(uint32_t seen, uint64_t due);

enum { interlock_most_outer = 3 };

/// A call without an object at whose end a task waits.
typedef struct {
  uintptr_t task, place;
  /// For a sleep: the callers of the function that sleeps, innermost first, then 0. The compiler
  /// inlines some of the library's functions into the user's code.
  uintptr_t outer[interlock_most_outer];
  bool is_sleep;
} interlock_call_view;

/// Writes the calls, such as `Task.sleep`, that tasks have made and that have not returned. Returns
/// their number, which may exceed `capacity`.
size_t interlock_waits_calls(interlock_call_view *views, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
