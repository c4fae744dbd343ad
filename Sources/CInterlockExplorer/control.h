// Control of explored threads: the part of the engine that the performers of calls (Calls/,
// Dispatch/, Concurrency/) use. Included by the explorer's files only.
//
// The running logical thread, or a timer's function, calls every function here. One carrier runs
// them all, so nothing here locks. A thread's step begins when a point returns, and ends at its
// next point.
#ifndef INTERLOCK_CONTROL_H
#define INTERLOCK_CONTROL_H

#include "interlock_internals.h"
#include "interlock_explorer.h"
#include "interlock_performer.h"

#ifdef INTERLOCK_INTERPOSES

#define INTERLOCK_NEVER UINT64_MAX

typedef struct interlock_logical_thread interlock_logical_thread;

/// Returns true if a thread can perform its pending operation now. The engine calls it at each
/// choice, or once and after each `interlock_announce`, on any logical thread's stack. It must not
/// wait or reach a point.
typedef bool interlock_readiness(interlock_logical_thread *thread, void *context);

/// Waits for a time, and yields, in a row: their count, and the step since which the row has
/// lasted. A row ends once each other thread that could continue has taken a step.
typedef struct {
  uint32_t count;
  uint64_t since;
} interlock_row_of_waits;

/// A logical thread, or a timer. Timers have numbers as threads do.
struct interlock_logical_thread {
  /// The thread's number for the strategy, and the number of its object, which `START`, `END` and
  /// `JOIN` name.
  uint32_t number, object;
  bool has_ended;
  /// The pending operation. The thread is enabled if `is_ready` is NULL or returns true, or if
  /// `timed_out` is set.
  interlock_operation pending;
  interlock_readiness *is_ready;
  void *context;
  /// True if, until the thread's next step, every change of the result of `is_ready` calls
  /// `interlock_announce`.
  bool is_announced;
  /// Returns true if the thread may continue although it is not ready. It need not ever continue.
  /// NULL for never.
  interlock_readiness *may_go_on;
  uintptr_t place, caller;
  /// With `follows_callers`: the number of the thread's stack in the result, 0 for none.
  uint32_t call_stack;
  /// With `follows_callers`: the object of the task that the thread runs, 0 for none.
  uint32_t task;
  /// The number of nested initialisers of globals that the thread runs.
  uint32_t initialisers;
  /// The name of the call at the pending operation, where the operation does not tell the call; or
  /// NULL.
  const char *call;
  /// The wait has reached its time limit.
  bool timed_out;
  interlock_logical_thread *limit;
  /// The function that the thread runs.
  void *(*function)(void *);
  void *argument;
  void *result;
  /// For the model of Dispatch: the current queue, and the model's data for the thread.
  void *queue, *model;
  /// The number of locks that the thread holds after its last step, if it has a model.
  int32_t locks;
  /// The thread waits for the time `due`: a timer, or a sleeping thread. `comes_last`: the time
  /// comes only when no thread can continue, even if times are lower bounds.
  bool waits_for_time, comes_last;
  uint64_t due;
  /// The thread's last waits for a time and yields in a row; and its last step.
  interlock_row_of_waits waits;
  uint64_t last_step;
  /// The thread has yielded, and not taken a step since.
  bool has_yielded;
  /// The thread that held this one back at the last look.
  interlock_logical_thread *held_by;
  /// The thread or the timer that made the thread; NULL for the first.
  const interlock_logical_thread *maker;
  /// A timer made the thread, or a thread that follows a timer did: for a task that sleeps, the
  /// task's next part.
  bool follows_timer;
  /// For a timer: the function that fires.
  void (*fire)(void *);
  /// Used by the engine only. NULL for a timer, and for a thread without a handle that has not
  /// begun.
  struct interlock_stack *stack;
  /// The list of the threads that have not ended; and whether the thread is in it.
  interlock_logical_thread *next_live, *previous_live;
  bool is_live;
  /// For enabled.c: the thread is enabled; the thread has changed; and 1 + its index in the list of
  /// the threads looked at before each choice, 0 if it is not in the list.
  bool is_enabled, is_changed;
  uint32_t looked_at;
  /// The last call of the user's code into Foundation: its call site, and the return address of its
  /// first operation. The call site is 0 after an operation of the user's code.
  struct {
    uintptr_t place, first;
  } library_call;
  /// The number of asks that were no choice since the step `quiet_since`; and the step after which
  /// the thread yielded because of them.
  uint32_t quiet;
  uint64_t quiet_since, yielded_at;
  bool is_joinable, is_begun;
  /// The thread's last sleep had no length.
  bool is_polling;
  /// The thread's last atomic operations; NULL for none (waiting_loops.c).
  struct interlock_loop *loop;
};

/// The running logical thread; while a timer fires, the timer.
interlock_logical_thread *interlock_current_thread(void) HIDDEN;

static inline interlock_operation interlock_operation_of(interlock_operation_kind kind,
                                                         uint32_t object, uint32_t other) {
  return (interlock_operation){.kind = (uint16_t)kind, .object = object, .other = other};
}

// Points.

/// A choice: the thread declares its operation, and performs it once `is_ready` returns true (NULL:
/// always) and the strategy has chosen the thread. `place` is the user's call site, for reports.
void interlock_point(interlock_operation operation, interlock_readiness *is_ready, void *context,
                     uintptr_t place) HIDDEN;
/// A choice for which every change of the result of `is_ready` calls `interlock_announce`. A step
/// then costs the same however many threads wait in this way.
void interlock_point_announced(interlock_operation operation, interlock_readiness *is_ready,
                               void *context, uintptr_t place) HIDDEN;
/// Says that the thread's `is_ready` may return another result from now on.
void interlock_announce(interlock_logical_thread *thread) HIDDEN;
/// A choice for a thread that may continue without being ready, as long as another thread can
/// continue.
void interlock_point_unless(interlock_operation operation, interlock_readiness *is_ready,
                            interlock_readiness *may_go_on, void *context, uintptr_t place) HIDDEN;
/// Names the call at the running thread's next point, for reports.
void interlock_name_call(const char *name) HIDDEN;
/// Names the call at the running thread's last point, once the call's outcome is known.
void interlock_call_turned_out(const char *name) HIDDEN;
/// A choice with a limit in virtual time. Returns false if `due` passed first and the thread is
/// still not ready.
bool interlock_point_until(interlock_operation operation, interlock_readiness *is_ready,
                           void *context, uint64_t due, uintptr_t place) HIDDEN;
/// The same, for a limit that passes only when no thread can continue.
bool interlock_point_until_last(interlock_operation operation, interlock_readiness *is_ready,
                                void *context, uint64_t due, uintptr_t place) HIDDEN;
/// A wait that is no choice: if the thread is ready, the operation becomes part of its step.
void interlock_wait(interlock_operation operation, interlock_readiness *is_ready, void *context,
                    uintptr_t place) HIDDEN;
bool interlock_wait_until(interlock_operation operation, interlock_readiness *is_ready,
                          void *context, uint64_t due, uintptr_t place) HIDDEN;
/// Adds an operation to the running step: a release, a leave, the other half of an exchange.
void interlock_did(interlock_operation operation) HIDDEN;
/// Replaces the operation of the last ask by the operation that the thread performed. Call it
/// before the next ask.
void interlock_turned_out(interlock_operation operation) HIDDEN;
/// Returns a value below `count` that the strategy chooses, for example which waiter a signal
/// wakes.
uint32_t interlock_pick(uint32_t count) HIDDEN;
/// Like `interlock_pick`, for at most 64 values. Values without a bit in `useful` lead only to
/// outcomes that other orders have as well. 0 has its bit.
uint32_t interlock_pick_useful(uint32_t count, uint64_t useful) HIDDEN;
/// Records a fact that makes more operations depend on the order from now on. If the fact is new in
/// a counted execution, the exploration ends, and its result asks to begin it again.
void interlock_learn(interlock_exploration_fact fact) HIDDEN;
bool interlock_is_known(interlock_exploration_fact fact) HIDDEN;
/// Records that the running thread performs an operation within the initialiser of a global.
void interlock_note_initialiser(interlock_operation operation) HIDDEN;
/// Records how many threads the tasks of this execution can use so far.
void interlock_note_task_threads(uint32_t count) HIDDEN;
/// Records that blocks alone could take all threads of Dispatch's pool.
void interlock_note_full_pool(void) HIDDEN;
/// Records a try or a timed wait: from then on, the operation that releases an object must be a
/// point.
void interlock_note_try(void) HIDDEN;
/// Records a release that enables other threads. It is a point only if a try can observe when it
/// happens.
void interlock_release(interlock_operation operation, uintptr_t returns_to, uintptr_t place) HIDDEN;
/// The class of the code that makes a call.
typedef enum {
  INTERLOCK_CALLER_USER,
  /// Foundation, whose locks order what users observe. Its calls are operations. They are choices
  /// only where a call of the user's code begins: see `interlock_ask`.
  INTERLOCK_CALLER_LIBRARY,
  /// The Swift runtime and the system's other libraries. Their locks protect caches, and the first
  /// execution fills more of these than the next. Their calls are operations only if a thread must
  /// wait.
  INTERLOCK_CALLER_RUNTIME,
} interlock_caller_class;
interlock_caller_class interlock_class_of_caller(uintptr_t returns_to) HIDDEN;
/// True if a call is a choice: its return address lies in the user's code, or in one of
/// Foundation's lock classes. A wait for a library's own lock is no choice.
bool interlock_is_choice(uintptr_t returns_to) HIDDEN;
/// True if a call site is in the user's code, and not in the explorer's that runs blocks.
bool interlock_is_users_place(uintptr_t place) HIDDEN;
/// A point if the caller at `returns_to` makes choices, else a wait. Also a point at the first
/// operation of a call of the user's code into Foundation, on an object of this execution.
void interlock_ask(interlock_operation operation, interlock_readiness *is_ready, void *context,
                   uintptr_t returns_to, uintptr_t place) HIDDEN;
bool interlock_ask_until(interlock_operation operation, interlock_readiness *is_ready,
                         void *context, uint64_t due, uintptr_t returns_to, uintptr_t place) HIDDEN;

// Threads.

typedef enum {
  /// The thread runs a block or a job. No code has its handle, so it takes a stack only when it
  /// begins: ten thousand tasks need only as many stacks as tasks are under way at a time.
  INTERLOCK_THREAD_UNNAMED,
  /// Code has the thread's handle, which is that of its stack's pthread.
  INTERLOCK_THREAD_DETACHED,
  INTERLOCK_THREAD_JOINABLE,
} interlock_thread_kind;

/// Makes a thread that runs `function(argument)`, and ends when the function returns. Its first
/// step is `first` (usually `START`; an object of 0 becomes the thread's), enabled by `is_ready`.
/// After the end, its stack can be used again; the stack of a joinable thread, after
/// `interlock_thread_release`. Returns NULL if there is no memory.
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
  /// State for the performers, all 0 at the object's first use in an execution.
  uint32_t flags;
  int64_t value;
  void *owner, *first, *last, *state;
  /// Releases a lock that a thread of the execution still holds: see `interlock_objects_give_back`.
  void (*give_back)(struct interlock_object *);
  /// With `follows_callers`: the stack on which the user's code made the object, and the object's
  /// name; or 0.
  uint32_t made_at;
  /// 1 + the object's index in the list of the objects that end with their memory; 0 if it is not
  /// in the list.
  uint32_t in_memory;
  const char *name;
} interlock_object;

/// Returns the object at an address and makes it on first use. The pointer is valid for the
/// execution.
interlock_object *interlock_object_at(const void *address) HIDDEN;
/// Returns the object at an address, or NULL if the execution has not used any there.
interlock_object *interlock_object_known(const void *address) HIDDEN;
/// Returns the object at an address that a call uses. If a library uses the object first, its
/// number comes from a separate range: the library may make the object in the first execution only,
/// and the numbers of other objects must not depend on that.
interlock_object *interlock_object_for(const void *address, uintptr_t returns_to) HIDDEN;
/// Like `interlock_object_at`, for an object that no call makes, such as an atomic: the object ends
/// with its memory.
interlock_object *interlock_object_in_memory(const void *address) HIDDEN;
/// Forgets the object at an address, because the memory now holds another one. The next use gives
/// it a new number.
void interlock_object_forget(const void *address) HIDDEN;
/// Forgets the locks and other objects in memory that is about to be freed. No call makes a
/// `Mutex`, or a C mutex with a static initialiser, and malloc decides whether its address is used
/// again.
void interlock_objects_freed(uintptr_t block, size_t size) HIDDEN;
/// Makes a new object, with a new number, at an address that has just been initialised.
interlock_object *interlock_object_anew(const void *address) HIDDEN;
/// Releases the locks that threads of the execution hold, after an execution that failed or left
/// threads behind. A lock may be in a global variable, where the next execution, and the process,
/// would find it locked for ever.
void interlock_objects_give_back(void) HIDDEN;
/// Returns the number of a new object that has no address.
uint32_t interlock_object_number(void) HIDDEN;

/// Returns zeroed memory that is freed at the end of the execution.
void *interlock_execution_memory(size_t size) HIDDEN;
/// Calls `function` at the start of each execution, before its first thread exists.
void interlock_at_execution_begin(void (*function)(void)) HIDDEN;
const interlock_exploration_options *interlock_exploration_asked(void) HIDDEN;

// Time, in nanoseconds of the virtual clock, which advances only when a wait for a time ends
// (time.c).

uint64_t interlock_virtual_now(void) HIDDEN;
/// True if the clock has reached `due`. The step then depends on operations that move the clock.
bool interlock_is_due(uint64_t due) HIDDEN;
/// Records that the running step depends on operations that move the clock.
void interlock_did_read_clock(void) HIDDEN;
/// True if time passes only when no thread can continue.
bool interlock_time_is_exact(void) HIDDEN;
/// Waits until `due` as a step of the running thread.
void interlock_wait_for_time(uint64_t due, uintptr_t place) HIDDEN;
/// Declares that the thread's next step comes after a yield, and adds the yield to `row`: the
/// thread's own row, or that of a task, whose parts may run in different threads.
void interlock_yield_begins(interlock_logical_thread *thread, interlock_row_of_waits *row) HIDDEN;
/// Yields as a step of the running thread.
void interlock_yield(interlock_row_of_waits *row, uintptr_t place) HIDDEN;
/// The virtual clock's reading when the real-time clock shows 1970.
int64_t interlock_virtual_epoch(void) HIDDEN;
/// Makes a timer that calls `fire(context)` at `due`, as a step of its own: `TIME_UP`, whose
/// `other` is `object`, the object that is woken. The function must not wait or reach a point; it
/// may spawn threads and start timers.
interlock_logical_thread *interlock_timer_start(uint64_t due, void (*fire)(void *), void *context,
                                                uint32_t object, uintptr_t place) HIDDEN;
/// Makes a new timer fire only when no thread can continue.
void interlock_timer_come_last(interlock_logical_thread *timer) HIDDEN;
/// Ends a timer that has not fired. Does nothing for NULL, or if the timer has fired. The running
/// step must have an operation on the timer's object.
void interlock_timer_cancel(interlock_logical_thread *timer) HIDDEN;
/// Called when the thread continues or begins because a timer fired: its waits continue the timer's
/// row. Does nothing if the running thread follows no timer.
void interlock_time_inherit(interlock_logical_thread *thread) HIDDEN;

/// The performer of the calls of explored threads (Calls/posix_calls.c).
extern const interlock_performer interlock_explorer_performer HIDDEN;

// Ends of an execution.

/// Records a failure of the execution, which continues. Only the first failure is reported.
void interlock_execution_fail(interlock_explored_verdict verdict, const char *text) HIDDEN;
/// Ends the execution at once; its threads do not continue.
_Noreturn void interlock_execution_abandon(void) HIDDEN;
/// Records an operation that escaped control. The result names the operation once and does not
/// claim completeness. From then on, the engine polls for some real time in a state without an
/// enabled thread.
void interlock_escaped(const char *operation) HIDDEN;
void interlock_perform_leave(const char *call) HIDDEN;
/// The same, for the engine between two steps: records the failure of the execution and returns.
void interlock_leave_fails(const char *call) HIDDEN;

#endif
#endif
