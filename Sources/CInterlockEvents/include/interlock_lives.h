/// The unstructured tasks (`Task { }`, `Task.detached`) and the threads that were made and have not
/// ended, each with the scope, such as a test, whose code has made it.
#ifndef INTERLOCK_LIVES_H
#define INTERLOCK_LIVES_H

#include "interlock_objects.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A task or a thread that has not ended.
typedef struct {
  /// The task; an address for a thread.
  uintptr_t task;
  /// The number of a thread once it has begun; 0 for a task.
  uint32_t thread;
  bool is_thread;
  /// Rises from task to task: another task at the same address has another number.
  uint64_t number;
  /// The scope of the code that made it; 0 for none.
  uint64_t scope;
  interlock_task_place place;
} interlock_live_task;

/// Returns the scope of the calling code; 0 for none.
typedef uint64_t (*interlock_scope_function)(void);

/// Follows the tasks and threads that are made from now on, for the rest of the process's life:
/// those of code in a scope, and with `all` those of any code. A later call adds to an earlier one;
/// `scope` may be NULL. What a task of a scope makes belongs to the same scope.
///
/// Returns NULL, or why tasks cannot be followed. Callable from any thread.
const char *interlock_lives_follow(interlock_scope_function scope, bool all);

/// Writes the tasks and threads of a scope that have not ended; with `all`, those of every scope
/// or none. Returns their number, which may exceed `capacity`. Takes nanoseconds for a scope
/// without one.
size_t interlock_lives_tasks(uint64_t scope, bool all, interlock_live_task *tasks,
                             size_t capacity);

/// Returns the task that the calling thread runs; 0 for none.
uintptr_t interlock_lives_current(void);

/// Returns how many tasks could not be followed since the start, for want of room.
uint64_t interlock_lives_lost(void);

/// Returns a number that changes when a followed task or thread ends, and with
/// `interlock_lives_wake`.
uint32_t interlock_lives_ends(void);
/// Ends the waits of all threads in `interlock_lives_wait`.
void interlock_lives_wake(void);
/// Waits until `interlock_lives_ends` is not `seen`, or until `due` in nanoseconds of the monotonic
/// clock. The thread must be hidden from the events. May return early.
void interlock_lives_wait(uint32_t seen, uint64_t due);

enum { interlock_most_outer = 3 };

/// A call at whose end a task waits, of those without an object.
typedef struct {
  uintptr_t task, place;
  /// For a sleep, the callers of the function that sleeps, innermost first, then 0: the library
  /// compiles some of its functions into the user's code.
  uintptr_t outer[interlock_most_outer];
  bool is_sleep;
} interlock_call_view;

/// Writes the calls that tasks have made and that have not returned, as `Task.sleep`; returns their
/// number, which may exceed `capacity`.
size_t interlock_waits_calls(interlock_call_view *views, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
