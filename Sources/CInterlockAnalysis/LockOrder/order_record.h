// What the lock-order reader keeps of each thread beside the held list. Not for users of the
// target.
#ifndef INTERLOCK_ORDER_RECORD_H
#define INTERLOCK_ORDER_RECORD_H

#include "../held_list.h"

/// A block that a thread is in.
typedef struct {
  uintptr_t queue;
  /// A number that no other block has; 0 for a synchronous one, which acts for its caller.
  uint64_t number;
  uint32_t flags;
  /// The block is another thread's synchronous call; what that thread holds is not known here.
  bool is_borrowed;
  /// The block is a task's job, on a thread that all tasks share.
  bool is_pool_job;
  bool holds_queue;
  /// The group that the block leaves, or the work item that is done, when it ends; 0 for none.
  uintptr_t ends;
  /// Whether Foundation calls the code in it.
  enum { UNKNOWN, NO, YES } is_operation;
} thread_run;

enum { runs_most = 8, known_chains = 64 };

typedef struct {
  /// How many more locks it holds, without room in the list.
  uint32_t untracked;
  uint32_t run_count;
  /// How many of the runs are jobs of tasks on a pool, and how many are borrowed.
  uint32_t jobs, borrowed;
  thread_run runs[runs_most];
  /// The mutex given up by a wait for a condition.
  held_lock put_aside;
  /// What the thread waits for, and since when.
  uintptr_t wait_object, wait_place, wait_outer;
  uint64_t wait_since;
  uint32_t wait_kind, wait_flags;
  /// While it waits for a synchronous call on the main queue (main_queue.c): where it made the
  /// call, its owner and its actor; and the next such thread.
  uintptr_t call_place, callers_gate;
  uint64_t callers_owner;
  struct thread_record *next_caller;
  /// On the main thread, the owner and the actor of the caller whose synchronous block it runs, and
  /// how many runs there are with that one; 0 for none.
  uint64_t adopted_owner;
  uintptr_t adopted_gate;
  uint32_t adopted_run;
  /// The thread's own number, never used again.
  uint64_t number;
  /// The hashes of chains that are known: they need no second look.
  uint64_t chains[known_chains];
  /// The last semaphore; how many locks had been made then; whether the semaphore begins at 1, and
  /// whether its owner has released it.
  uintptr_t semaphore;
  uint32_t semaphores_made;
  bool semaphore_is_lock, semaphore_was_given_back;
  /// The last object that it signalled from which nothing more can be learned (signallers.c), and
  /// how many locks had changed until then.
  uintptr_t settled;
  uint32_t settled_at;
  /// The same for the last object that it waited for under a lock.
  uintptr_t settled_wait;
  uint32_t settled_wait_at;
  /// The last lock that it held, asked for again and was refused; and where.
  held_lock refused;
} order_record;

#endif
