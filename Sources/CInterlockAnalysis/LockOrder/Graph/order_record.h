// The lock order's part of a thread's record, in addition to the held list. Included by
// `CInterlockAnalysis/` only.
#ifndef INTERLOCK_ORDER_RECORD_H
#define INTERLOCK_ORDER_RECORD_H

#include "../../held_list.h"

/// A block that a thread runs.
typedef struct {
  uintptr_t queue;
  /// A number that no other block has; 0 for a synchronous block, which acts for its caller.
  uint64_t number;
  uint32_t flags;
  /// The block is another thread's synchronous call, or an iteration for another thread that holds
  /// locks. That thread's locks are not known.
  bool is_borrowed;
  /// The block is a task's job, on a thread that all tasks share.
  bool is_pool_job;
  bool holds_queue;
  /// The group that the block leaves at its end, or the work item that it completes; 0 for none.
  uintptr_t ends;
  /// Whether Foundation calls the user's code in the block.
  enum { UNKNOWN, NO, YES } is_operation;
} thread_run;

/// A lock that the main thread has acquired outside all blocks, with the values of `steps` and of
/// `interlock_locks_changed` at the acquisition.
typedef struct {
  uintptr_t object;
  uint32_t steps, changed;
  /// The hash of the acquisition, and of the locks that the thread held; 0 for none.
  uint64_t acquisition;
} main_lock;

enum { runs_most = 8, known_chains = 64, main_locks = 16 };

typedef struct {
  /// The number of held locks for which the list has no room.
  uint32_t untracked;
  uint32_t run_count;
  /// The number of runs that are jobs of tasks on a pool, and of those that are borrowed.
  uint32_t jobs, borrowed;
  thread_run runs[runs_most];
  /// The mutex that the current wait at a condition has released.
  held_lock put_aside;
  /// The object for which the thread waits, the call sites, and the time at which the wait began.
  uintptr_t wait_object, wait_place, wait_outer;
  uint64_t wait_since;
  uint32_t wait_kind, wait_flags;
  /// During the thread's synchronous call on the main queue (main_queue.c): the call site, the
  /// thread's owner and actor, and the next such thread.
  uintptr_t call_place, callers_gate;
  uint64_t callers_owner;
  struct thread_record *next_caller;
  /// On the main thread: the owner and the actor of the caller whose synchronous block runs, and
  /// the number of runs up to that block; 0 for none.
  uint64_t adopted_owner;
  uintptr_t adopted_gate;
  uint32_t adopted_run;
  /// The thread's own number, never used again.
  uint64_t number;
  /// The hashes of known chains, which cost one look-up here.
  uint64_t chains[known_chains];
  /// The last semaphore: its address, the value of `interlock_locks_changed` at the look-up,
  /// whether it begins at 1, and whether its owner has released it.
  uintptr_t semaphore;
  uint32_t semaphores_made;
  bool semaphore_is_lock, semaphore_was_given_back;
  /// The last object that the thread signalled and whose signals can show no more orders
  /// (signallers.c); and the value of `interlock_locks_changed` at that time.
  uintptr_t settled;
  uint32_t settled_at;
  /// The last barrier that the thread enqueued outside blocks and locks, its place, and the value
  /// of `interlock_locks_changed` at that time.
  uintptr_t barrier, barrier_place;
  uint32_t barrier_at;
  /// The same as `settled`, for the last object for which the thread waited under a lock.
  uintptr_t settled_wait;
  uint32_t settled_wait_at;
  /// True for the main thread.
  bool is_main;
  /// Grows with each event that may order other threads after this thread, or this thread after
  /// others. Events of mutexes do not count.
  uint32_t steps;
  /// On the main thread (main_locks.c), by the lock's address.
  main_lock main_locks[main_locks];
  /// The main thread's count that happens before the thread's start, the beginning of its block, or
  /// its last wait for a signal.
  uint64_t seen_main;
  /// The last held lock that the thread tried to acquire again and that the C library refused.
  held_lock refused;
} order_record;

#endif
