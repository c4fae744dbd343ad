// Control of explored threads: the part of the engine that the performers of calls (Calls/,
// Dispatch/, Concurrency/) use. Not for users of the target.
//
// The running logical thread, or a timer's function, calls every function here. One carrier runs
// them all, so nothing here locks. A thread's step begins when a point returns, and
// ends at its next point.
#ifndef INTERLOCK_CONTROL_H
#define INTERLOCK_CONTROL_H

#include "interlock_internals.h"
#include "interlock_explorer.h"
#include "interlock_performer.h"

#ifdef INTERLOCK_INTERPOSES

#define INTERLOCK_NEVER UINT64_MAX

typedef struct interlock_logical_thread interlock_logical_thread;

/// Returns true if a thread can perform its pending operation now. The engine calls it at each
/// choice, or once and after each `interlock_announce`, on any logical thread's stack: it must not
/// wait or reach a point.
typedef bool interlock_readiness(interlock_logical_thread *thread, void *context);

/// Waits for a time, and yields, that have followed one another: how many, since the last step
/// after which each other thread that could go on had taken one.
typedef struct {
  uint32_t count;
  uint64_t since;
} interlock_row_of_waits;

/// A logical thread, or a timer, which has a number of its own as a thread does.
struct interlock_logical_thread {
  /// Its number for the strategy, and that of the object that `START`, `END` and `JOIN` name.
  uint32_t number, object;
  bool has_ended;
  /// Its pending operation. The thread is enabled if `is_ready` is NULL or returns true, or if
  /// `timed_out` is set.
  interlock_operation pending;
  interlock_readiness *is_ready;
  void *context;
  /// Until its next step, what changes the result of `is_ready` calls `interlock_announce`.
  bool is_announced;
  /// If the thread is not ready: true if it may continue all the same, which it need not ever do.
  /// NULL for never.
  interlock_readiness *may_go_on;
  uintptr_t place, caller;
  /// With `follows_callers`: the number of its stack in the result, 0 for none.
  uint32_t call_stack;
  /// With `follows_callers`: the object of the task that it runs, 0 for none.
  uint32_t task;
  /// How many initialisers of globals it runs, one within another.
  uint32_t initialisers;
  /// The call that it makes at its pending operation, where the operation does not tell; or NULL.
  const char *call;
  /// The time limit of its wait was reached.
  bool timed_out;
  interlock_logical_thread *limit;
  /// What it runs.
  void *(*function)(void *);
  void *argument;
  void *result;
  /// For the model of Dispatch: the current queue, and the model's data for the thread.
  void *queue, *model;
  /// It waits for the time `due`: a timer, or a thread that sleeps. `comes_last`: the time comes
  /// when no thread can continue, also where a time is a lower bound.
  bool waits_for_time, comes_last;
  uint64_t due;
  /// Its last waits for a time and yields; and its last step.
  interlock_row_of_waits waits;
  uint64_t last_step;
  /// It has yielded, and not taken a step since.
  bool has_yielded;
  /// The thread that held it back when that was last looked at.
  interlock_logical_thread *held_by;
  /// A timer made it, or a thread that a timer made: of a task that sleeps, its next part.
  bool follows_timer;
  /// Of a timer.
  void (*fire)(void *);
  /// The engine's own.
  /// NULL before a thread without a handle begins, and for a timer.
  struct interlock_stack *stack;
  /// The neighbours in the list of the threads that have not ended; whether the thread is in it.
  interlock_logical_thread *next_live, *previous_live;
  bool is_live;
  /// The places in the lists of enabled.c: the thread is enabled; it has changed; and 1 + its index
  /// among those that are looked at before each choice, 0 for none.
  bool is_enabled, is_changed;
  uint32_t looked_at;
  /// The number of asks since a step that were no choice, and the step after which it yielded.
  uint32_t quiet;
  uint64_t quiet_since, yielded_at;
  bool is_joinable, is_begun;
  /// Its last sleep had no length.
  bool is_polling;
  /// Its last atomic operations, if it has performed any (waiting_loops.c).
  struct interlock_loop *loop;
};

/// The running logical thread; while a timer fires, the timer.
interlock_logical_thread *interlock_current_thread(void) HIDDEN;

static inline interlock_operation interlock_operation_of(interlock_operation_kind kind,
                                                         uint32_t object, uint32_t other) {
  return (interlock_operation){.kind = (uint16_t)kind, .object = object, .other = other};
}

// Points.

/// A choice: the thread declares its operation and performs it once `is_ready` returns true (NULL:
/// always) and the strategy has chosen the thread. `place` is the user's call site, for reports.
void interlock_point(interlock_operation operation, interlock_readiness *is_ready, void *context,
                     uintptr_t place) HIDDEN;
/// A choice whose `is_ready` depends only on what calls `interlock_announce` when it changes it. A
/// step then costs no more where many threads wait so.
void interlock_point_announced(interlock_operation operation, interlock_readiness *is_ready,
                               void *context, uintptr_t place) HIDDEN;
/// The thread's `is_ready` may return something else from now on.
void interlock_announce(interlock_logical_thread *thread) HIDDEN;
/// A choice of a thread that may continue without being ready, as long as another thread can.
void interlock_point_unless(interlock_operation operation, interlock_readiness *is_ready,
                            interlock_readiness *may_go_on, void *context, uintptr_t place) HIDDEN;
/// Names the call at the running thread's next point, for reports.
void interlock_name_call(const char *name) HIDDEN;
/// Names the call at its last point, once it is known.
void interlock_call_turned_out(const char *name) HIDDEN;
/// A choice with a limit in virtual time: returns false if `due` passed first and the thread is
/// still not ready.
bool interlock_point_until(interlock_operation operation, interlock_readiness *is_ready,
                           void *context, uint64_t due, uintptr_t place) HIDDEN;
/// The same, where the limit only passes when no thread can continue.
bool interlock_point_until_last(interlock_operation operation, interlock_readiness *is_ready,
                                void *context, uint64_t due, uintptr_t place) HIDDEN;
/// A wait that is no choice: if the thread is ready, the operation becomes part of its step.
void interlock_wait(interlock_operation operation, interlock_readiness *is_ready, void *context,
                    uintptr_t place) HIDDEN;
bool interlock_wait_until(interlock_operation operation, interlock_readiness *is_ready,
                          void *context, uint64_t due, uintptr_t place) HIDDEN;
/// Adds an operation to the running step: a release, a leave, the other half of an exchange.
void interlock_did(interlock_operation operation) HIDDEN;
/// Replaces the operation of the last ask by the one that the thread performed. Call it before the
/// next ask.
void interlock_turned_out(interlock_operation operation) HIDDEN;
/// Returns a value below `count` that the strategy chooses: which waiter a signal wakes.
uint32_t interlock_pick(uint32_t count) HIDDEN;
/// As `interlock_pick`, of at most 64 values: those without a bit in `useful` lead only to outcomes
/// that other orders have as well. 0 has its bit.
uint32_t interlock_pick_useful(uint32_t count, uint64_t useful) HIDDEN;
/// Records a fact that makes more operations depend on the order from now on. If it is new in a
/// counted execution, the exploration ends and its result asks to begin it again.
void interlock_learn(interlock_exploration_fact fact) HIDDEN;
bool interlock_is_known(interlock_exploration_fact fact) HIDDEN;
/// Records how many threads the tasks of this execution can use so far.
void interlock_note_task_threads(uint32_t count) HIDDEN;
/// Notes that blocks alone could take all threads of Dispatch's pool.
void interlock_note_full_pool(void) HIDDEN;
/// Records a try or a timed wait: the operation that releases an object must then be a point.
void interlock_note_try(void) HIDDEN;
/// A release that enables other threads: a point only if a try can observe when it happens.
void interlock_release(interlock_operation operation, uintptr_t returns_to, uintptr_t place) HIDDEN;
/// The code that makes a call.
typedef enum {
  INTERLOCK_CALLER_USER,
  /// Foundation, whose locks order what users observe. They are operations, but no choices.
  INTERLOCK_CALLER_LIBRARY,
  /// The Swift runtime and the system's other libraries. Their locks protect caches, and the first
  /// execution fills more of them than the next: they are operations only if a thread must wait.
  INTERLOCK_CALLER_RUNTIME,
} interlock_caller_class;
interlock_caller_class interlock_class_of_caller(uintptr_t returns_to) HIDDEN;
/// True if a call is a choice: its return address lies in the user's code, or in one of
/// Foundation's lock classes. A wait for a library's own lock is no choice.
bool interlock_is_choice(uintptr_t returns_to) HIDDEN;
/// True if the address is in the explorer's code that runs blocks and jobs (Dispatch/items.c).
bool interlock_runs_blocks(uintptr_t address) HIDDEN;
/// A point if the caller at `returns_to` makes choices, else a wait.
void interlock_ask(interlock_operation operation, interlock_readiness *is_ready, void *context,
                   uintptr_t returns_to, uintptr_t place) HIDDEN;
bool interlock_ask_until(interlock_operation operation, interlock_readiness *is_ready,
                         void *context, uint64_t due, uintptr_t returns_to, uintptr_t place) HIDDEN;

// Threads.

typedef enum {
  /// Runs a block or a job: no code has a handle of it, and it takes a stack when it begins. So ten
  /// thousand tasks need as many stacks as are under way at a time.
  INTERLOCK_THREAD_UNNAMED,
  /// Code has its handle, which is that of its stack's pthread.
  INTERLOCK_THREAD_DETACHED,
  INTERLOCK_THREAD_JOINABLE,
} interlock_thread_kind;

/// Makes a thread that runs `function(argument)`. Its first step is `first` (usually `START`; an
/// object of 0 becomes that of the thread), enabled by `is_ready`. It ends when the function
/// returns. Its stack can then be used again; that of a joinable thread after
/// `interlock_thread_release`. NULL if there is no memory.
interlock_logical_thread *interlock_spawn(void *(*function)(void *), void *argument,
                                          interlock_operation first, interlock_readiness *is_ready,
                                          void *context, interlock_thread_kind kind,
                                          uintptr_t place) HIDDEN;
void interlock_thread_release(interlock_logical_thread *thread) HIDDEN;
/// Ends the running thread with this result.
_Noreturn void interlock_thread_exit(void *result) HIDDEN;

// Objects. Addresses differ between executions, so objects have numbers, in the order of their
// first use in the execution.

typedef struct interlock_object {
  uintptr_t address;
  uint64_t execution;
  uint32_t number;
  /// State for the performers, all 0 at the first use in an execution.
  uint32_t flags;
  int64_t value;
  void *owner, *first, *last, *state;
  /// Gives back a lock that a thread of the execution still has: see `interlock_objects_give_back`.
  void (*give_back)(struct interlock_object *);
  /// With `follows_callers`: the stack on which the user's code made it, and its name; or 0.
  uint32_t made_at;
  /// Its place in the list of those that end with their memory, from 1; 0 if it is not in it.
  uint32_t in_memory;
  const char *name;
} interlock_object;

/// Returns the object at an address and makes it on first use. The pointer is valid for the
/// execution.
interlock_object *interlock_object_at(const void *address) HIDDEN;
/// Returns the object at an address, or NULL if the execution has not used any there.
interlock_object *interlock_object_known(const void *address) HIDDEN;
/// Returns the object at an address that a call uses. If a library uses the object first, its
/// number is of a separate range: the library may make the object in the first execution only, and
/// the numbers of other objects must not depend on that.
interlock_object *interlock_object_for(const void *address, uintptr_t returns_to) HIDDEN;
/// As `interlock_object_at`, for an object that no call makes, such as an atomic: it ends with its
/// memory.
interlock_object *interlock_object_in_memory(const void *address) HIDDEN;
/// Forgets the object at an address, because the memory now holds another one. The next use gives
/// it a new number.
void interlock_object_forget(const void *address) HIDDEN;
/// Forgets the locks and the other objects in memory that is about to be freed. No call makes a
/// `Mutex`, or a mutex of C that its declaration initialises, and whether its address is used again
/// is malloc's affair.
void interlock_objects_freed(uintptr_t block, size_t size) HIDDEN;
/// Makes a new object, with a new number, at an address that has just been initialised.
interlock_object *interlock_object_anew(const void *address) HIDDEN;
/// Gives back the locks that threads of the execution have, after one that failed or left threads
/// behind: a lock may be a global variable's, which the next execution, and the process, would find
/// locked for ever.
void interlock_objects_give_back(void) HIDDEN;
/// Returns the number of a new object that has no address.
uint32_t interlock_object_number(void) HIDDEN;

/// Returns zeroed memory that is freed at the end of the execution.
void *interlock_execution_memory(size_t size) HIDDEN;
/// Calls `function` at the start of each execution, before its first thread exists.
void interlock_at_execution_begin(void (*function)(void)) HIDDEN;
const interlock_exploration_options *interlock_exploration_asked(void) HIDDEN;

// Time: nanoseconds of the virtual clock. It only advances when a wait for a time ends (time.c).

uint64_t interlock_virtual_now(void) HIDDEN;
/// True if the clock has reached `due`. The step then depends on what moves the clock.
bool interlock_is_due(uint64_t due) HIDDEN;
/// Notes in the running step that it depends on what moves the clock.
void interlock_did_read_clock(void) HIDDEN;
/// True if time passes only when no thread can continue.
bool interlock_time_is_exact(void) HIDDEN;
/// Waits until `due` as a step of the running thread.
void interlock_wait_for_time(uint64_t due, uintptr_t place) HIDDEN;
/// The thread's next step comes after a yield. Adds to the row of waits of what yields: the
/// thread's own, or that of a task, which may go on in another thread each time.
void interlock_yield_begins(interlock_logical_thread *thread, interlock_row_of_waits *row) HIDDEN;
/// Yields as a step of the running thread.
void interlock_yield(interlock_row_of_waits *row, uintptr_t place) HIDDEN;
/// The virtual clock's reading when the real-time clock shows 1970.
int64_t interlock_virtual_epoch(void) HIDDEN;
/// Makes a timer that calls `fire(context)` at `due`, as a step of its own (`TIME_UP` of `object`).
/// The function must not wait or reach a point; it may spawn threads and start timers. The
/// operation's `other` is `object`, which is woken.
interlock_logical_thread *interlock_timer_start(uint64_t due, void (*fire)(void *), void *context,
                                                uint32_t object, uintptr_t place) HIDDEN;
/// Lets a timer that has just been made fire only when no thread can continue.
void interlock_timer_come_last(interlock_logical_thread *timer) HIDDEN;
/// Ends a timer that has not fired. Does nothing for NULL, or if the timer has fired. The step must
/// have an operation on the timer's object.
void interlock_timer_cancel(interlock_logical_thread *timer) HIDDEN;
/// The thread continues, or begins, because a timer fired: its waits go on the timer's loop. Does
/// nothing if the running thread follows no timer.
void interlock_time_inherit(interlock_logical_thread *thread) HIDDEN;

/// The performer of the calls of explored threads (Calls/posix_calls.c).
extern const interlock_performer interlock_explorer_performer HIDDEN;

// Ends.

/// Records a failure of the execution, which continues. Only the first failure is reported.
void interlock_execution_fail(interlock_explored_verdict verdict, const char *text) HIDDEN;
/// Ends the execution at once: its threads do not continue.
_Noreturn void interlock_execution_abandon(void) HIDDEN;
/// Records an operation that escaped control: the result names it once and does not claim
/// completeness. From then on the engine checks a state without an enabled thread again for some
/// real time.
void interlock_escaped(const char *operation) HIDDEN;
void interlock_perform_leave(const char *call) HIDDEN;
/// The same, for the engine between two steps: records the failure of the execution, and returns.
void interlock_leave_fails(const char *call) HIDDEN;

#endif
#endif
