/// The result of an exploration: its verdict, and the steps of the last execution.
#ifndef INTERLOCK_EXPLORATION_RESULT_H
#define INTERLOCK_EXPLORATION_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "interlock_exploration.h"

/// The verdict on an execution.
typedef enum {
  INTERLOCK_EXPLORED_PASSED = 0,
  /// The body returned false, or `interlock_exploration_fail` was called.
  INTERLOCK_EXPLORED_FAILED,
  /// No thread can continue, and no timer is left: a deadlock.
  INTERLOCK_EXPLORED_DEADLOCK,
  /// The execution reached the limit of steps.
  INTERLOCK_EXPLORED_LIVELOCK,
  /// One step took longer than the limit: its code neither ended nor reached a point.
  INTERLOCK_EXPLORED_TIMED_OUT,
  /// A signal or a trap: `signal` names it.
  INTERLOCK_EXPLORED_CRASHED,
  /// The body made a call that traps in the system library.
  INTERLOCK_EXPLORED_MISUSE,
  /// The body made such a call, and the thread would wait for itself: synchronous work on its own
  /// queue.
  INTERLOCK_EXPLORED_SELF_WAIT,
  /// The same choices produced a different trace.
  INTERLOCK_EXPLORED_NOT_DETERMINISTIC,
  /// Two sections conflict: they overlapped, or nothing orders them.
  INTERLOCK_EXPLORED_RACE,
} interlock_explored_verdict;

/// The room for the name of a call, with its terminator. A longer name is cut.
enum { INTERLOCK_CALL_BYTES = 24 };

/// One step of the last execution. It may come from a child process, so no part of it is a pointer.
typedef struct {
  uint32_t thread;
  /// With `follows_callers`: the object of the task that the thread runs, 0 for none.
  uint32_t task;
  /// The number of threads that could take the step.
  uint32_t enabled;
  /// With `follows_callers`: 1 + the index of the step's stack among those of the result; 0 for
  /// none.
  uint32_t stack;
  interlock_operation operation;
  /// The name of the call, where the operation does not tell it; otherwise empty.
  char call[INTERLOCK_CALL_BYTES];
  /// The address at which the user's code makes the call; and, with `follows_callers`, the return
  /// address of that function, otherwise 0.
  uintptr_t place, caller;
  /// For an atomic operation in the weak memory model: whether it reads; its value; 1 + the index
  /// of the step that stored the value, 0 for the atomic's first value; and in `not_read`,
  /// likewise, the step of the newest store if that is another one.
  uint64_t value;
  /// The upper half of a value of 16 bytes.
  uint64_t upper_value;
  uint32_t read_from, not_read;
  bool reads_value, writes_value, has_wide_value;
  /// The thread also signalled a condition or a semaphore, or resumed a continuation, before its
  /// next point.
  bool signals;
  /// For an atomic operation: 1 + its memory order, in the numbers of C; 0 for other operations.
  uint8_t memory_order;
} interlock_exploration_step;

/// A thread that cannot continue.
typedef struct {
  uint32_t thread, task, stack;
  interlock_operation operation;
  char call[INTERLOCK_CALL_BYTES];
  uintptr_t place, caller;
} interlock_blocked_thread;

enum { INTERLOCK_STACKS_MOST = 512, INTERLOCK_STACK_DEPTH = 16 };

/// The return addresses of one stack outside libraries, innermost first, with 0 behind the last.
/// The first ones may be Interlock's own.
typedef struct {
  uintptr_t frames[INTERLOCK_STACK_DEPTH];
} interlock_user_frames;

/// The name and the origin of an object of the last execution.
typedef struct {
  uint32_t number;
  /// A queue's label; or the kind of a file and the last component of its path; empty for none.
  char name[60];
  /// The stack on which the user's code made the object: 1 + its index among those of the result; 0
  /// if it is not known.
  uint32_t made_at;
} interlock_named_object;

/// An operation that escaped control.
typedef struct {
  char name[96];
} interlock_escaped_operation;

/// The result of an exploration. The pointers are to the explorer's memory, valid until the next
/// `interlock_explore`. Texts are behind pointers too: an array of C is a tuple in Swift, and the
/// compiler took half a minute for the copies of one with thousands of elements.
typedef struct {
  /// The numbers of counted executions, of those that failed, of those that the strategy cut off,
  /// and of the steps of all.
  uint64_t executions, failures, cut, steps;
  /// The number of steps by another thread than the step before, and of steps before which several
  /// threads were enabled.
  uint64_t switches, choices;
  /// The number of times that the engine has looked whether a thread can take a step: the cost of
  /// the steps, independent of time.
  uint64_t looks;
  /// The largest number of threads, blocks and tasks of one execution that were under way at once.
  /// Each has a pthread.
  uint32_t most_stacks;
  uint64_t nanoseconds;
  /// True if the strategy has nothing left to run.
  bool is_complete;
  /// The first failure (the last with `keeps_going`): its verdict, and the number of its execution.
  interlock_explored_verdict verdict;
  uint64_t failed_at;
  int signal;
  /// The thread that ran at the failure; the source line of the failure, if the body named one, and
  /// its text.
  uint32_t failed_thread;
  const char *place, *text;
  /// The choices of that execution, in the form that the replay strategy takes: the number of the
  /// thread where several were enabled, or the value picked among several.
  const uint32_t *choices_made;
  size_t choice_count;
  /// The steps of that execution.
  const interlock_exploration_step *trace;
  size_t trace_count;
  /// A hash of the operations of that execution's threads, in order.
  uint64_t trace_hash;
  /// If a trace differed when the choices were repeated: the number of the first different step,
  /// from 1, and the step of either execution, with a kind of 0 if that execution was over.
  size_t differed_at;
  interlock_exploration_step differed[2];
  /// For a deadlock: the operation for which each thread waits.
  const interlock_blocked_thread *blocked;
  size_t blocked_count;
  /// For a deadlock: the number of workers of a pool in which blocks wait while all workers wait
  /// too, which is starvation; 0 if there is no such pool.
  uint32_t dry_pool_width;
  /// With `follows_callers`: the objects of that execution that have a name or an origin.
  const interlock_named_object *named;
  uint32_t named_count;
  /// With `follows_callers`: `INTERLOCK_STACKS_MOST` stacks, which steps refer to.
  const interlock_user_frames *stacks;
  /// With `estimates`: the estimated share of the traces that were reached, from 0 to 1; and the
  /// number of different executions behind the estimate.
  double reached;
  uint64_t distinct;
  /// The operations that escaped control. With any of them, completeness cannot be claimed.
  const interlock_escaped_operation *escaped;
  uint32_t escaped_count;
  /// The number of threads still blocked when the body had returned, summed over all executions.
  uint64_t left_behind;
  /// The facts that the executions have shown, and those given in the options.
  uint32_t facts;
  /// A thread or timer waited for a time again and again, and was held back until each other thread
  /// that could continue had taken a step. Orders with more such waits in a row were not tried.
  bool bounds_sleeps;
  /// A thread that yields was held back in the same way.
  bool bounds_yields;
  /// A thread or timer waited for a time.
  bool uses_time;
  /// A loop that waits for an atomic was held back until another thread changed the atomic.
  bool bounds_loops;
  /// A thread that had woken without a signal waited for the condition again, this time only for a
  /// signal.
  bool bounds_wake_ups;
  /// A weak compare-exchange that had failed by itself was not let fail by itself again.
  bool bounds_exchanges;
  /// The body makes a compare-exchange whose source cannot be read: the exchange may be weak.
  bool has_unread_exchanges;
  /// An atomic operation asks for a weaker memory order than sequential consistency, and was
  /// performed as sequentially consistent.
  bool strengthens_atomics;
  /// A wait for XCTest's expectations had a limit, which passed only when no thread could continue;
  /// or such a wait ended while blocks of the main queue were queued, and these ran first.
  bool bounds_waiters;
  /// A task blocked a thread of the tasks' pool, so a pool of fewer threads may run dry.
  bool tasks_block;
  /// As many blocks of Dispatch were under way as its pool has threads. Blocks that wait for tasks
  /// may use up a pool that blocks and tasks share.
  bool blocks_fill_pool;
  /// The largest number of threads that the tasks of one execution use. With that many, no task
  /// waits for a thread.
  uint32_t most_task_threads;
  /// The body reported a failure in a warm-up, whose order is also the order of a counted
  /// execution.
  bool failed_first;
  /// A counted execution has shown a fact that makes more operations depend on the order. The
  /// exploration ended, and must begin anew with a new strategy and these `facts`.
  bool must_begin_anew;
  /// The bytes that the options' function `report` wrote.
  const char *report;
  size_t report_size;
} interlock_exploration_result;

/// Returns the number of steps by another thread than the step before, where several threads were
/// enabled. In C, because a trace may have millions of steps, which take seconds in a debug build
/// of Swift.
size_t interlock_trace_switches(const interlock_exploration_step *trace, size_t count);

#endif
