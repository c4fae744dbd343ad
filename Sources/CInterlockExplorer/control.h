// Control of explored threads: what the performers of calls (Calls/, Dispatch/, Concurrency/) use
// of the engine. Not for users of the target.
//
// Every function here is called by the logical thread that runs, or by a timer's function: one
// carrier runs them all, so nothing here locks. A thread's step begins when a point returns, and
// ends at its next point.
#ifndef INTERLOCK_CONTROL_H
#define INTERLOCK_CONTROL_H

#include "interlock_internals.h"
#include "interlock_explorer.h"
#include "interlock_performer.h"

#ifdef INTERLOCK_INTERPOSES

#define INTERLOCK_NEVER UINT64_MAX

typedef struct interlock_logical_thread interlock_logical_thread;

/// Whether a thread can perform its pending operation now. Called by the engine at each choice, on
/// any logical thread's stack: it may not wait, nor reach a point.
typedef bool interlock_readiness(interlock_logical_thread *thread, void *context);

/// A logical thread, or a timer, which has a number of its own as a thread does.
struct interlock_logical_thread {
  /// Its number for the strategy, and that of the object that `START`, `END` and `JOIN` name.
  uint32_t number, object;
  bool has_ended;
  /// Its pending operation: while `is_ready` is NULL it can go on.
  interlock_operation pending;
  interlock_readiness *is_ready;
  void *context;
  uintptr_t place, caller;
  /// The time limit of its wait was reached.
  bool timed_out;
  interlock_logical_thread *limit;
  /// What it runs.
  void *(*function)(void *);
  void *argument;
  void *result;
  /// For the model of Dispatch: the current queue, and whatever else it keeps of a thread.
  void *queue, *model;
  /// Of a timer.
  void (*fire)(void *);
  uint64_t due;
  bool is_choice;
  /// The engine's own.
  struct interlock_stack *stack;
  /// Asks that were no choice since a step, and the step after which it gave way.
  uint32_t quiet;
  uint64_t quiet_since, gave_way_at;
  bool is_joinable, is_begun, can_go_on;
};

/// The running logical thread; while a timer fires, the timer.
interlock_logical_thread *interlock_current_thread(void) HIDDEN;

static inline interlock_operation interlock_operation_of(interlock_operation_kind kind,
                                                         uint32_t object, uint32_t other) {
  return (interlock_operation){.kind = (uint16_t)kind, .object = object, .other = other};
}

// Points.

/// A choice: the thread declares its operation, and performs it once the strategy has chosen it and
/// `is_ready` (NULL: always) holds. `place` is the user's, for reports.
void interlock_point(interlock_operation operation, interlock_readiness *is_ready, void *context,
                     uintptr_t place) HIDDEN;
/// The same until a virtual time; returns false if that came first and the thread is still not
/// ready.
bool interlock_point_until(interlock_operation operation, interlock_readiness *is_ready,
                           void *context, uint64_t due, uintptr_t place) HIDDEN;
/// A wait that is no choice: if the thread can go on, the operation becomes part of its step.
void interlock_wait(interlock_operation operation, interlock_readiness *is_ready, void *context,
                    uintptr_t place) HIDDEN;
bool interlock_wait_until(interlock_operation operation, interlock_readiness *is_ready,
                          void *context, uint64_t due, uintptr_t place) HIDDEN;
/// The running step has performed this too: a release, a leave, the other half of an exchange.
void interlock_did(interlock_operation operation) HIDDEN;
/// Replaces the last operation that was asked for: what the thread turned out to do. To be called
/// before anything else is asked for.
void interlock_turned_out(interlock_operation operation) HIDDEN;
/// Chooses one of `count` values, from 0: which waiter a signal wakes.
uint32_t interlock_pick(uint32_t count) HIDDEN;
/// An execution has shown something that makes more operations matter, from now on. In a counted
/// execution, the exploration ends and says that it must begin anew.
void interlock_learn(interlock_exploration_fact fact) HIDDEN;
bool interlock_is_known(interlock_exploration_fact fact) HIDDEN;
/// A try or a limited wait was made: what releases such an object must be a point then.
void interlock_note_try(void) HIDDEN;
/// A release that lets others go on: a point only if tries can tell when it comes.
void interlock_release(interlock_operation operation, uintptr_t returns_to, uintptr_t place) HIDDEN;
/// Which code makes a call.
typedef enum {
  INTERLOCK_CALLER_USER,
  /// A library whose locks order what users see: Foundation. They are no choices, but operations.
  INTERLOCK_CALLER_LIBRARY,
  /// The Swift runtime and the system's other libraries. Their locks protect caches, of which the
  /// first execution fills more than the next: they are no operations, unless a thread must wait.
  INTERLOCK_CALLER_RUNTIME,
} interlock_caller_class;
interlock_caller_class interlock_class_of_caller(uintptr_t returns_to) HIDDEN;
/// Whether a call is a choice: its return address lies in the user's code, or in one of
/// Foundation's locks. A library's own locks are waited for, and are no choice.
bool interlock_is_choice(uintptr_t returns_to) HIDDEN;
/// A point or a wait, by `returns_to`.
void interlock_ask(interlock_operation operation, interlock_readiness *is_ready, void *context,
                   uintptr_t returns_to, uintptr_t place) HIDDEN;
bool interlock_ask_until(interlock_operation operation, interlock_readiness *is_ready,
                         void *context, uint64_t due, uintptr_t returns_to, uintptr_t place) HIDDEN;

// Threads.

/// Makes a thread that runs `function(argument)`. Its first step is `first` (usually `START`; an
/// object of 0 becomes that of the thread), once `is_ready`. It ends when the function returns; its
/// stack is used again then, or, of a joinable one, after `interlock_thread_release`. NULL if there
/// is no memory.
interlock_logical_thread *interlock_spawn(void *(*function)(void *), void *argument,
                                          interlock_operation first, interlock_readiness *is_ready,
                                          void *context, bool is_joinable, uintptr_t place) HIDDEN;
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
} interlock_object;

/// The object at an address; made at its first use. It stays where it is for the execution.
interlock_object *interlock_object_at(const void *address) HIDDEN;
/// The same for a call. An object that a library uses first has a number of a range apart: it may
/// be one that the library makes in the first execution only, and others' numbers must not depend
/// on it.
interlock_object *interlock_object_for(const void *address, uintptr_t returns_to) HIDDEN;
/// What is known of an address is another object's; its next use gives it a number.
void interlock_object_forget(const void *address) HIDDEN;
/// A new object at that address, with a new number: it has just been initialised.
interlock_object *interlock_object_anew(const void *address) HIDDEN;
/// The number of a new object that has no address.
uint32_t interlock_object_number(void) HIDDEN;

/// Memory of the execution, zeroed: it needs not be freed, and is gone at the end of the execution.
void *interlock_execution_memory(size_t size) HIDDEN;
/// Calls `function` at the begin of each execution, before its first thread exists.
void interlock_at_execution_begin(void (*function)(void)) HIDDEN;
const interlock_exploration_options *interlock_exploration_asked(void) HIDDEN;

// Time: nanoseconds of the virtual clock. It only moves when a timer fires.

uint64_t interlock_virtual_now(void) HIDDEN;
/// The virtual clock's reading when the real-time clock shows 1970.
int64_t interlock_virtual_epoch(void) HIDDEN;
/// Makes a timer that calls `fire(context)` at `due`, as a step of its own (`TIME_UP` of `object`).
/// The function may not wait, nor reach a point; it may spawn threads and start timers. A timer
/// that is a `limit` of a wait may fire while threads can go on: see `interlock_exploration_time`.
/// The operation's `other` is `object`: what is woken.
interlock_logical_thread *interlock_timer_start(uint64_t due, bool is_limit, void (*fire)(void *),
                                                void *context, uint32_t object,
                                                uintptr_t place) HIDDEN;
/// Ends a timer that has not fired; NULL and one that has are left alone.
void interlock_timer_cancel(interlock_logical_thread *timer) HIDDEN;

/// What performs the calls of explored threads (Calls/posix_calls.c).
extern const interlock_performer interlock_explorer_performer HIDDEN;

// Ends.

/// The execution has failed; the first failure counts, and the execution goes on.
void interlock_execution_fail(interlock_explored_verdict verdict, const char *text) HIDDEN;
/// Ends the execution at once: its threads never go on.
_Noreturn void interlock_execution_abandon(void) HIDDEN;
/// An operation escaped control: it is named once in the result, and nothing is complete then. From
/// then on, a state in which no thread can go on is looked at again for a while of real time.
void interlock_escaped(const char *operation) HIDDEN;

#endif
#endif
