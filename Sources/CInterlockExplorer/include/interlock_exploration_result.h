/// What an exploration found: its verdict, and the steps of the last execution.
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
  /// No thread can continue, and no timer is left.
  INTERLOCK_EXPLORED_DEADLOCK,
  /// The execution reached the limit of steps.
  INTERLOCK_EXPLORED_LIVELOCK,
  /// One step took longer than the limit: code that neither ends nor reaches a point.
  INTERLOCK_EXPLORED_TIMED_OUT,
  /// A signal or a trap: `signal` names it.
  INTERLOCK_EXPLORED_CRASHED,
  /// A call that traps in the system library.
  INTERLOCK_EXPLORED_MISUSE,
  /// Such a call, because the thread would wait for itself: synchronous work on its own queue.
  INTERLOCK_EXPLORED_SELF_WAIT,
  /// The same choices produced a different trace.
  INTERLOCK_EXPLORED_NOT_DETERMINISTIC,
  /// Two sections conflict: they overlapped, or nothing orders them.
  INTERLOCK_EXPLORED_RACE,
} interlock_explored_verdict;

/// The room for the name of a call, with its terminator; a longer one is cut.
enum { INTERLOCK_CALL_BYTES = 24 };

/// One step of the last execution. It may come from a child process: no part of it is a pointer.
typedef struct {
  uint32_t thread;
  /// With `follows_callers`: the object of the task that the thread runs, 0 for none.
  uint32_t task;
  /// The number of threads that could take it.
  uint32_t enabled;
  /// With `follows_callers`: 1 + the index of its stack among those of the result; 0 for none.
  uint32_t stack;
  interlock_operation operation;
  /// The call, where the operation does not tell it; empty for none.
  char call[INTERLOCK_CALL_BYTES];
  /// Where the user's code makes the call; with `follows_callers`, the return address of that
  /// function, else 0.
  uintptr_t place, caller;
  /// An atomic operation in the weak memory model: whether it reads, the value, and 1 + the index
  /// of the step that stored it, 0 for the atomic's first value; the step of the newest store is in
  /// `not_read` likewise, if it is another one.
  uint64_t value;
  /// The upper half of a value of 16 bytes.
  uint64_t upper_value;
  uint32_t read_from, not_read;
  bool reads_value, writes_value, has_wide_value;
  /// The thread also signalled a condition or a semaphore, or resumed a continuation, before its
  /// next point.
  bool signals;
  /// 1 + its memory order, in the numbers of C; 0 for other operations.
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

/// The return addresses of one stack outside of libraries, innermost first, which may begin with
/// some of Interlock's own; 0 behind the last.
typedef struct {
  uintptr_t frames[INTERLOCK_STACK_DEPTH];
} interlock_user_frames;

/// What is known of an object of the last execution, besides its number.
typedef struct {
  uint32_t number;
  /// A queue's label; of a file, what it is and the last part of its path; empty for none.
  char name[60];
  /// Where the user's code made it: 1 + the index of a stack of the result; 0 if that is not known.
  uint32_t made_at;
} interlock_named_object;

/// An operation that escaped control.
typedef struct {
  char name[96];
} interlock_escaped_operation;

/// The pointers are to memory of the explorer, valid until the next `interlock_explore`. Texts are
/// behind pointers too: an array of C is a tuple in Swift, and the compiler took half a minute for
/// the copies of one with thousands of elements.
typedef struct {
  /// How many executions counted, how many of them failed, how many of them the strategy cut off,
  /// and how many steps they took together.
  uint64_t executions, failures, cut, steps;
  /// The steps by another thread than the step before, and the steps before which several threads
  /// were enabled.
  uint64_t switches, choices;
  /// How often the engine has looked at a thread to find those that can take a step: what a step
  /// costs, in no unit of time.
  uint64_t looks;
  /// The most threads, blocks and tasks of an execution that were under way at once: each has a
  /// pthread.
  uint32_t most_stacks;
  uint64_t nanoseconds;
  /// True if the strategy has nothing left to run.
  bool is_complete;
  /// The first failure (the last with `keeps_going`): which execution, and what happened.
  interlock_explored_verdict verdict;
  uint64_t failed_at;
  int signal;
  /// The thread that ran when it failed, and the first line of its failure that the body named.
  uint32_t failed_thread;
  const char *place, *text;
  /// The choices of that execution, as the replaying strategy takes them: the number of a thread
  /// where several were enabled, or a value picked among several.
  const uint32_t *choices_made;
  size_t choice_count;
  /// Its steps.
  const interlock_exploration_step *trace;
  size_t trace_count;
  /// A hash of the operations of its threads, in order.
  uint64_t trace_hash;
  /// Of a trace that differed when the choices were repeated: the number of the first step that
  /// did, from 1, and what it was each time, a kind of 0 if the execution was over.
  size_t differed_at;
  interlock_exploration_step differed[2];
  /// Of a deadlock: what each thread waits for.
  const interlock_blocked_thread *blocked;
  size_t blocked_count;
  /// Of a deadlock: how many workers the pool has in which blocks wait while each of its workers
  /// waits too, which is starvation; 0 if there is no such pool.
  uint32_t dry_pool_width;
  /// With `follows_callers`: the objects of that execution of which more is known.
  const interlock_named_object *named;
  uint32_t named_count;
  /// With `follows_callers`: `INTERLOCK_STACKS_MOST` stacks, of which the steps name some.
  const interlock_user_frames *stacks;
  /// With `estimates`: the share from 0 to 1, and the number of different executions behind it.
  double reached;
  uint64_t distinct;
  /// Operations that escaped control: completeness cannot be claimed.
  const interlock_escaped_operation *escaped;
  uint32_t escaped_count;
  /// The threads still blocked when the body had returned, summed over all executions.
  uint64_t left_behind;
  /// The facts that the executions have shown, with those of the options.
  uint32_t facts;
  /// Something waited for a time again and again, and was held back until each other thread that
  /// could go on had taken a step: orders with more such waits in a row were not tried.
  bool bounds_sleeps;
  /// One that yields was.
  bool bounds_yields;
  /// Something waited for a time.
  bool uses_time;
  /// A loop that waits for an atomic was held back until another thread changed it.
  bool bounds_loops;
  /// A thread that had woken without a signal waited for the condition again, for a signal only.
  bool bounds_wake_ups;
  /// A weak compare-exchange that had failed by itself could have failed so again.
  bool bounds_exchanges;
  /// The body makes a compare-exchange whose source cannot be read: it may be a weak one.
  bool has_unread_exchanges;
  /// An atomic operation asks for a weaker order than sequential consistency, and did not get it.
  bool strengthens_atomics;
  /// A wait for XCTest's expectations had a limit, which passed only when no thread could continue;
  /// or one ended while blocks of the main queue were queued, which then ran first.
  bool bounds_waiters;
  /// A task blocked a thread of the tasks' pool: a pool of fewer threads may run dry.
  bool tasks_block;
  /// As many blocks of Dispatch were under way as its pool has threads: blocks that wait for tasks
  /// may use up a pool that the two share.
  bool blocks_fill_pool;
  /// The most threads that the tasks of an execution use: with as many, none waits for a thread.
  uint32_t most_task_threads;
  /// The body reported a failure in a warm-up, whose order is also one of the counted ones.
  bool failed_first;
  /// A counted execution has shown something that makes more operations matter: the exploration
  /// ended, and must begin anew with a new strategy and these `facts`.
  bool must_begin_anew;
  /// What the options' function `report` wrote.
  const char *report;
  size_t report_size;
} interlock_exploration_result;

/// Counts the steps of a trace by another thread than the step before, where several threads were
/// enabled. C: a trace may have millions of steps, which take seconds in a debug build of Swift.
size_t interlock_trace_switches(const interlock_exploration_step *trace, size_t count);

#endif
