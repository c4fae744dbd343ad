// What the wait table keeps of each thread beside the held list. Not for users of the target.
#ifndef INTERLOCK_WAIT_RECORD_H
#define INTERLOCK_WAIT_RECORD_H

#include "../held_list.h"

// Only the thread itself writes its record, and then raises `sequence`; the thread that takes a
// snapshot reads it. A record that changes meanwhile shows it: its `sequence` has grown when the
// snapshot is checked.

/// The steps of a thread's `sequence` that are no progress.
typedef struct {
  /// How many there have been.
  uint64_t steps;
  /// What the thread counts for while it polls, plus 1; 0 while it does not.
  uint64_t frozen;
  /// The thread's number when a poll began, and before it was woken as a worker.
  uint64_t from, woken;
  /// When the last poll began and when it ended, 0 if it has not, in nanoseconds of the
  /// monotonic clock; and the thread's processor time then.
  uint64_t began, ended, cpu_at_end;
  /// How many blocks it was in when the poll began.
  uint32_t runs;
  bool has_handled, has_timed;
} interlock_idleness;

/// The last semaphore that the thread acquired as a lock, and how many there had been.
typedef struct {
  uintptr_t object;
  uint32_t made;
} interlock_known_lock;

/// What a thread waits for and runs: the fields of `interlock_thread_view` by the same names.
typedef struct {
  uint32_t number, started_by;
  uintptr_t handle;
  uint64_t sequence;
  uint32_t wait_kind, wait_flags;
  uintptr_t wait_object, wait_other, wait_place, wait_outer, wait_task, wait_actor;
  uintptr_t pool;
  uint32_t run_count, ended, untracked;
  interlock_run runs[INTERLOCK_RUNS_MOST];
} wait_view;

typedef struct {
  wait_view view;
  /// The mutex given up by a wait for a condition.
  held_lock put_aside;
  /// What is no progress: see wait_polls.c.
  interlock_idleness idle;
  interlock_known_lock last_lock;
  /// The last queue that it called synchronously: the table of queues forgets none.
  uintptr_t last_queue;
} wait_record;

#endif
