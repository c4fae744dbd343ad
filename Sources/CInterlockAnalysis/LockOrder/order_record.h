// The lock order's part of a thread's record, beside the held list. Not for users of the target.
#ifndef INTERLOCK_ORDER_RECORD_H
#define INTERLOCK_ORDER_RECORD_H

#include "../held_list.h"

/// A block that a thread runs.
typedef struct {
  uintptr_t queue;
  /// A number that no other block has; 0 for a synchronous block, which acts for its caller.
  uint64_t number;
  uint32_t flags;
  /// The block is another thread's synchronous call, and the locks of that thread are not known.
  bool is_borrowed;
  /// The block is a task's job, on a thread that all tasks share.
  bool is_pool_job;
  bool holds_queue;
  /// The group that the end of the block leaves, or the work item that it completes; 0 for none.
  uintptr_t ends;
  /// Whether Foundation calls the user's code in it.
  enum { UNKNOWN, NO, YES } is_operation;
} thread_run;

/// A lock that the main thread has acquired outside all blocks, and the values of `steps` and of
/// `interlock_locks_changed` then.
typedef struct {
  uintptr_t object;
  uint32_t steps, changed;
  /// The hash of the acquisition, and of the locks that the thread held; 0 for none.
  uint64_t acquisition;
} main_lock;

enum { runs_most = 8, known_chains = 64, main_locks = 16 };

typedef struct {
  /// How many locks it holds beyond the room in the list.
  uint32_t untracked;
  uint32_t run_count;
  /// How many of the runs are jobs of tasks on a pool, and how many are borrowed.
  uint32_t jobs, borrowed;
  thread_run runs[runs_most];
  /// The mutex that the current wait at a condition has released.
  held_lock put_aside;
  /// What the thread waits for, and since when.
  uintptr_t wait_object, wait_place, wait_outer;
  uint64_t wait_since;
  uint32_t wait_kind, wait_flags;
  /// During its synchronous call on the main queue (main_queue.c): the call site, its owner and its
  /// actor, and the next such thread.
  uintptr_t call_place, callers_gate;
  uint64_t callers_owner;
  struct thread_record *next_caller;
  /// On the main thread: the owner and the actor of the caller whose synchronous block it runs, and
  /// the number of runs up to that block; 0 for none.
  uint64_t adopted_owner;
  uintptr_t adopted_gate;
  uint32_t adopted_run;
  /// The thread's own number, never used again.
  uint64_t number;
  /// The hashes of known chains, which cost one look-up here.
  uint64_t chains[known_chains];
  /// The last semaphore, the value of `interlock_locks_changed` then, whether the semaphore begins
  /// at 1, and whether its owner has released it.
  uintptr_t semaphore;
  uint32_t semaphores_made;
  bool semaphore_is_lock, semaphore_was_given_back;
  /// The last object that it signalled whose signals can show no more orders (signallers.c), and
  /// the value of `interlock_locks_changed` then.
  uintptr_t settled;
  uint32_t settled_at;
  /// The last barrier that it enqueued outside blocks and locks, its place, and that value then.
  uintptr_t barrier, barrier_place;
  uint32_t barrier_at;
  /// As for `settled`, for the last object that it waited for under a lock.
  uintptr_t settled_wait;
  uint32_t settled_wait_at;
  /// Whether it is the main thread.
  bool is_main;
  /// Grows with each event that may order other threads after this one, or this one after others;
  /// the events of mutexes do not count.
  uint32_t steps;
  /// On the main thread (main_locks.c), by the lock's address.
  main_lock main_locks[main_locks];
  /// The main thread's count that came before the thread's start, the beginning of its block, or
  /// its last wait for a signal.
  uint64_t seen_main;
  /// The last lock that it held and tried to acquire again, which the C library refused.
  held_lock refused;
} order_record;

#endif
