/// The memory that several processes share while they explore parts of one tree of orders: which
/// job has taken which part, and where to stop after a failure. Included by the explorer's files
/// only.
///
/// The parts of optimal DPOR are the paths through its top (dpor_shards.c). Each job comes to all
/// of them in the same order, and takes those that no other job has. A job that samples comes to a
/// part with each execution.
#ifndef INTERLOCK_JOBS_H
#define INTERLOCK_JOBS_H

#include "interlock_strategies.h"

enum { INTERLOCK_JOBS_PARTS = 1 << 16 };

typedef struct {
  /// The path's hash, with 1 + the number of the job that has the part in its low bits; 0 if no job
  /// has come to the part.
  uint64_t taken;
  /// The number of the part in the order of the search, from 1; and the number of orders executed
  /// in it.
  uint64_t number, orders;
} interlock_job_part;

/// In shared memory. While the jobs run, the numbers are only hints; the parent decides by the
/// numbers that it reads after the jobs have ended.
struct interlock_jobs {
  /// True if the parts are those of a search; false if they are executions.
  bool takes_parts;
  /// The key of the first failure by `interlock_job_key`: jobs stop after it.
  uint64_t last;
  /// The number of orders that all jobs have executed, and its limit; 0 for no limit.
  uint64_t executed, most;
  /// The number of the last part to which each job came.
  uint64_t at[INTERLOCK_JOBS_MOST];
  interlock_job_part parts[INTERLOCK_JOBS_PARTS];
};

/// Forgets all parts.
void interlock_jobs_reset(interlock_jobs *jobs, bool takes_parts, uint64_t most);

/// Called when a job comes to the part `path` of the search, which is its `number`th part. Returns
/// the part if the job has it or takes it now, and NULL if another job has it. If no job has the
/// part and the limit of orders is reached, sets `is_left_out` and returns NULL.
interlock_job_part *interlock_job_come_to(interlock_jobs *jobs, uint32_t job, uint64_t path,
                                          uint64_t number, bool *is_left_out);

/// Counts an order of a part.
void interlock_job_count(interlock_jobs *jobs, interlock_job_part *part);

/// True if the jobs have executed as many orders as they may.
bool interlock_jobs_have_enough(const interlock_jobs *jobs);

/// True if a job that has executed `executions` orders continues: no part with a smaller key has
/// failed.
bool interlock_job_goes_on(interlock_jobs *jobs, uint32_t job, uint64_t executions);

/// The key of a job: the number of its last part, then its own number. Of two failures, the one
/// with the smaller key counts.
uint64_t interlock_job_key(const interlock_jobs *jobs, uint32_t job);

/// Records that a job has failed at the part with this key: jobs at later parts need not run.
void interlock_jobs_stop_behind(interlock_jobs *jobs, uint64_t key);

/// Returns the number of orders up to the failure with this key, counted in an order that does not
/// depend on timing. `executions` has the count of each of the `count` jobs.
uint64_t interlock_jobs_orders_until(const interlock_jobs *jobs, uint64_t key,
                                     const uint64_t *executions, uint32_t count);

#endif
