// The wait table's part of a thread's record, in addition to the held list. Included by
// `CInterlockAnalysis/` only.
#ifndef INTERLOCK_WAIT_RECORD_H
#define INTERLOCK_WAIT_RECORD_H

#include "../held_list.h"

// Only the thread itself writes its record, and then increments `sequence`. The thread that takes a
// snapshot reads the record, and checks afterwards that `sequence` has not grown.

/// The steps of a thread's `sequence` that are no progress.
typedef struct {
  /// The number of such steps so far.
  uint64_t steps;
  /// The thread's progress during a poll, plus 1; 0 outside polls.
  uint64_t frozen;
  /// The thread's `sequence` at the beginning of the last poll, and when the thread was last woken
  /// as a worker.
  uint64_t from, woken;
  /// The times at which the last poll began and ended (0 if it has not), in nanoseconds of the
  /// monotonic clock; and the thread's processor time at the end.
  uint64_t began, ended, cpu_at_end;
  /// The number of blocks that the thread was in when the poll began.
  uint32_t runs;
  bool has_handled, has_timed;
} interlock_idleness;

/// The last semaphore that the thread acquired as a lock, and the value of
/// `interlock_semaphores_made` at that time.
typedef struct {
  uintptr_t object;
  uint32_t made;
} interlock_known_lock;

/// The thread's wait and its runs: the fields of `interlock_thread_view` by the same names.
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
  /// The mutex that the current wait at a condition has released.
  held_lock put_aside;
  /// Events that are no progress: see wait_polls.c.
  interlock_idleness idle;
  interlock_known_lock last_lock;
  /// The last queue that the thread called synchronously, which stays in the table of queues.
  uintptr_t last_queue;
} wait_record;

#endif
