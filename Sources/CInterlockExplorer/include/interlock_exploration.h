/// The view that a strategy has of an execution, and the decisions that it makes.
///
/// An execution is a sequence of steps. A logical thread stops at a point: it has declared its next
/// operation and has not performed it. The engine asks the strategy which enabled thread takes the
/// next step; that thread performs its pending operation and runs on to its next point. Operations
/// that it performs before that point belong to the same step. After the step, the engine passes
/// all of its operations to the strategy.
///
/// Threads are numbered from 0 and objects from 1, in the order of their first use in the
/// execution, because addresses differ between executions. One carrier thread makes all calls.
#ifndef INTERLOCK_EXPLORATION_H
#define INTERLOCK_EXPLORATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The kinds of operations that can depend on the order of steps: the rows of the dependency table.
typedef enum {
  /// The first step of a thread, a block or a job that has been made.
  INTERLOCK_OPERATION_START = 1,
  INTERLOCK_OPERATION_END,
  /// Waits for the end of the thread `object`.
  INTERLOCK_OPERATION_JOIN,
  /// A mutex, a spin lock, the lock of an actor, an initialiser (`once`).
  INTERLOCK_OPERATION_LOCK,
  INTERLOCK_OPERATION_TRY_LOCK,
  INTERLOCK_OPERATION_UNLOCK,
  INTERLOCK_OPERATION_LOCK_SHARED,
  INTERLOCK_OPERATION_TRY_LOCK_SHARED,
  INTERLOCK_OPERATION_UNLOCK_SHARED,
  /// A condition `object`; `other` is its mutex.
  INTERLOCK_OPERATION_WAIT,
  INTERLOCK_OPERATION_SIGNAL,
  INTERLOCK_OPERATION_BROADCAST,
  INTERLOCK_OPERATION_SEMAPHORE_WAIT,
  INTERLOCK_OPERATION_SEMAPHORE_TRY,
  INTERLOCK_OPERATION_SEMAPHORE_SIGNAL,
  INTERLOCK_OPERATION_BARRIER_WAIT,
  INTERLOCK_OPERATION_GROUP_ENTER,
  INTERLOCK_OPERATION_GROUP_LEAVE,
  INTERLOCK_OPERATION_GROUP_WAIT,
  INTERLOCK_OPERATION_GROUP_NOTIFY,
  /// A block is submitted to the queue `object`; a block of the queue begins, and ends.
  INTERLOCK_OPERATION_ENQUEUE,
  INTERLOCK_OPERATION_BEGIN,
  INTERLOCK_OPERATION_BEGIN_BARRIER,
  INTERLOCK_OPERATION_FINISH,
  INTERLOCK_OPERATION_SUSPEND,
  INTERLOCK_OPERATION_RESUME,
  INTERLOCK_OPERATION_CANCEL_ITEM,
  INTERLOCK_OPERATION_TEST_ITEM,
  /// A worker of the pool `object` is taken or given back. A block that waits for an exhausted pool
  /// waits for `GIVE_WORKER`.
  INTERLOCK_OPERATION_TAKE_WORKER,
  INTERLOCK_OPERATION_GIVE_WORKER,
  /// The task `object` is awaited, ends, is cancelled, asks whether it is cancelled; a continuation
  /// is awaited and resumed.
  INTERLOCK_OPERATION_AWAIT,
  INTERLOCK_OPERATION_COMPLETE,
  INTERLOCK_OPERATION_CANCEL,
  INTERLOCK_OPERATION_TEST_CANCEL,
  INTERLOCK_OPERATION_CONTINUATION_WAIT,
  INTERLOCK_OPERATION_CONTINUATION_RESUME,
  /// A section on the resource `object` begins or ends; the section reads or writes.
  INTERLOCK_OPERATION_SECTION_READ,
  INTERLOCK_OPERATION_SECTION_WRITE,
  INTERLOCK_OPERATION_SECTION_READ_END,
  INTERLOCK_OPERATION_SECTION_WRITE_END,
  /// A sync point; all sync points have the same `object`.
  INTERLOCK_OPERATION_SYNC_POINT,
  /// An access to memory.
  INTERLOCK_OPERATION_READ,
  INTERLOCK_OPERATION_WRITE,
  INTERLOCK_OPERATION_READ_WRITE,
  /// The `object` is a file, or the entry that a path names, which is read or changed; or a folder,
  /// through which a path leads or whose entries change.
  INTERLOCK_OPERATION_FILE_READ,
  INTERLOCK_OPERATION_FILE_CHANGE,
  INTERLOCK_OPERATION_FOLDER_PASS,
  INTERLOCK_OPERATION_FOLDER_CHANGE,
  /// The clock is read; a timer fires, or a thread's sleep ends.
  INTERLOCK_OPERATION_READ_CLOCK,
  INTERLOCK_OPERATION_TIME_UP,
  /// Depends on nothing.
  INTERLOCK_OPERATION_YIELD,
  /// Depends on everything: an operation without a row of its own. An exploration that performs it
  /// cannot claim completeness.
  INTERLOCK_OPERATION_UNKNOWN,
  INTERLOCK_OPERATION_COUNT,
} interlock_operation_kind;

/// The objects of libraries may have a separate range of numbers, from this one on.
enum { INTERLOCK_FIRST_LIBRARY_OBJECT = INT32_MAX };

/// Flags of operations. A flag only ever removes a dependency, so 0 is always sound, with one
/// exception: a failed try must have its flag, or the lock counts as held.
enum {
  /// For a performed operation: a try-lock, a try-wait or a timed wait failed.
  INTERLOCK_OPERATION_FAILED = 1,
  /// For `GROUP_ENTER` and `GROUP_LEAVE`: no notification is registered on the group.
  INTERLOCK_OPERATION_NO_NOTIFICATION = 1,
  /// The same, and for `GROUP_LEAVE`: the leave comes after an enter that no other leave belongs
  /// to, in every order. Without such an enter it may come too early, which traps.
  INTERLOCK_OPERATION_BALANCED = 2,
  /// For `GROUP_WAIT`: the group is a task group, and its wait keeps no thread of a pool.
  INTERLOCK_OPERATION_OF_TASKS = 1,
  /// For `BEGIN` and `FINISH`: the queue is concurrent and the block is no barrier.
  INTERLOCK_OPERATION_CONCURRENT = 1,
  /// For `BEGIN` and `BEGIN_BARRIER`: the queue's targets hold the block up too, so its own queue
  /// does not decide whether it may begin.
  INTERLOCK_OPERATION_NESTED = 2,
  /// For `ENQUEUE`: a queue that has work comes to its target, or a block does that was submitted
  /// to another queue. The step does not tell which thread begins with it.
  INTERLOCK_OPERATION_PASSED_ON = 1,
  /// For `BARRIER_WAIT`: the second half of the wait, enabled once the last thread has arrived.
  INTERLOCK_OPERATION_LEAVES_BARRIER = 1,
  /// For `BARRIER_WAIT`: the first half of the wait, of the thread that arrived last.
  INTERLOCK_OPERATION_ARRIVES_LAST = 2,
  /// For `READ`, `WRITE` and `READ_WRITE`: a bit for each byte of the object that the operation
  /// does not access. Two operations without a common byte commute.
  INTERLOCK_OPERATION_BYTES_LEFT_OUT = 0xff,
  /// For `READ` and `READ_WRITE`: a loop that reads the same value again waits until another thread
  /// changes a value that the loop reads. The step then has a `READ` of each of these.
  INTERLOCK_OPERATION_AWAITS_CHANGE = 1 << 14,
  /// For `TIME_UP`: the time is a lower bound, so the strategy may choose it at any point. Without
  /// the flag the time is exact: it comes when no thread can run, and depends on everything.
  INTERLOCK_OPERATION_TIME_IS_A_CHOICE = 2,
  /// For the `LOCK` after a `WAIT`: the wait may end without a signal.
  INTERLOCK_OPERATION_NEEDS_NO_SIGNAL = 2,
  /// The call does not wait, although its operation does: a try without a kind of its own, or a
  /// wait whose time limit has passed before it begins.
  INTERLOCK_OPERATION_TRIED = 1 << 13,
  /// For a pending operation: the operation may also end by its time limit.
  INTERLOCK_OPERATION_TIMED = 1 << 15,
};

/// One operation. What `object` and `other` are, by kind:
///
/// - `START`, `END`, `JOIN`: `object` is the thread as an object.
/// - `LOCK`: `other` is the condition, where a thread acquires the mutex again after a `WAIT`.
/// - `WAIT`: releases the mutex `other`. The thread's next operation is that `LOCK`.
/// - `SIGNAL`: `other` is 1 + the number of the thread that it wakes; 0 for none.
/// - `SEMAPHORE_*`, `TAKE_WORKER`, `GIVE_WORKER`: `other` is 1 + the value before the operation; 0
///   if that is unknown.
/// - `BEGIN`, `BEGIN_BARRIER`: `other` is the pool that the worker is taken from, 0 if it cannot
///   run dry. `ENQUEUE` makes the thread that begins, unless the calling thread itself begins
///   (`sync`).
/// - `TIME_UP`: `other` is what is woken, 0 for the thread itself. A step that disarms a timer, or
///   arms one whose time is exact, also performs an operation on which this one depends.
/// - `AWAIT`, `COMPLETE`, `CANCEL`, `TEST_CANCEL`: the task; adding or removing a handler of
///   cancellation performs `TEST_CANCEL`.
typedef struct {
  uint16_t kind;
  uint16_t flags;
  /// The object's number; 0 for none.
  uint32_t object, other;
} interlock_operation;

/// The state of an execution before a step.
typedef struct {
  /// The number of threads that this execution has made.
  uint32_t threads;
  /// The operation that each thread is about to perform, indexed by the thread's number. The kind
  /// is 0 for a thread that has ended.
  const interlock_operation *pending;
  /// The threads that can perform their pending operation, in ascending order.
  const uint32_t *enabled;
  uint32_t enabled_count;
  /// The thread of the last step; -1 before the first.
  int32_t current;
} interlock_exploration_state;

/// How an execution ended. Passed to the strategy.
typedef enum {
  INTERLOCK_EXECUTION_PASSED,
  /// The execution failed, or no thread could continue.
  INTERLOCK_EXECUTION_FAILED,
  /// The strategy ended the execution early, because it would repeat one that has been run.
  INTERLOCK_EXECUTION_CUT,
  /// The execution reached a limit of steps or time.
  INTERLOCK_EXECUTION_LIMITED,
} interlock_execution_end;

enum { INTERLOCK_CHOICE_CUT = -1 };

/// A strategy. One carrier thread uses an instance.
typedef struct interlock_strategy {
  const char *name;
  /// Begins the next execution. Returns false if none is left.
  bool (*begin)(struct interlock_strategy *self);
  /// Returns the number of an enabled thread, or `INTERLOCK_CHOICE_CUT`. Also called if only one
  /// thread is enabled; never called if none is.
  int32_t (*choose)(struct interlock_strategy *self, const interlock_exploration_state *state);
  /// Returns a value below `count` for the thread that takes the step, for example which waiter a
  /// signal wakes.
  uint32_t (*pick)(struct interlock_strategy *self, uint32_t count);
  /// Like `pick`, for at most 64 values. Values without a bit in `useful` lead only to outcomes
  /// that other orders have as well; 0 has its bit. NULL for a strategy that does not use this.
  uint32_t (*pick_useful)(struct interlock_strategy *self, uint32_t count, uint64_t useful);
  /// True if the running thread could not have taken its step before `step`, counted from 0, in any
  /// execution of the class. NULL for a strategy that does not know, which counts as true.
  bool (*orders)(const struct interlock_strategy *self, size_t step);
  /// Called after a step with all operations of its thread, in order, the pending operation first.
  void (*performed)(struct interlock_strategy *self, uint32_t thread,
                    const interlock_operation *operations, size_t count);
  /// True if the execution that has just ended belongs to this strategy's part of the orders.
  /// Called before `end`. NULL for a strategy that has all orders.
  bool (*is_own)(struct interlock_strategy *self);
  /// `last` is the state in which the execution ended. In a deadlock it has no enabled thread; the
  /// pending operations show which orders would have let the threads continue.
  void (*end)(struct interlock_strategy *self, interlock_execution_end end,
              const interlock_exploration_state *last);
  /// True once every execution that matters has been run: `begin` has returned false, or will.
  bool (*is_complete)(const struct interlock_strategy *self);
  void (*destroy)(struct interlock_strategy *self);
} interlock_strategy;

#ifdef __cplusplus
}
#endif

#endif
