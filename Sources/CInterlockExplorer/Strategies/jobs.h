/// What the processes share that explore parts of one tree of orders: which job has taken which
/// part, and where to stop behind a failure.
///
/// The parts of optimal DPOR are the paths through its top (dpor_shards.c). Each job comes to all
/// of them in the same order, and takes those that no other job has. A job that samples comes to a
/// part with each execution.
#ifndef INTERLOCK_JOBS_H
#define INTERLOCK_JOBS_H

#include "interlock_strategies.h"

enum { INTERLOCK_JOBS_PARTS = 1 << 16 };

typedef struct {
  /// The path's hash with the number of the job that has it in its low bits, from 1; 0 if no job
  /// has come to the part.
  uint64_t taken;
  /// The number of the part in the order of the search, from 1, and the orders executed in it.
  uint64_t number, orders;
} interlock_job_part;

/// In shared memory. Its numbers are hints while the jobs run; what decides is read once they have
/// ended.
struct interlock_jobs {
  /// The parts are those of a search, and not executions.
  bool takes_parts;
  /// A job stops behind this: the smallest failure's part and job, as `interlock_job_key` has them.
  uint64_t last;
  /// The orders that all jobs have executed, and how many they may; 0 for no limit.
  uint64_t executed, most;
  /// The number of the part that each job came to last.
  uint64_t at[INTERLOCK_JOBS_MOST];
  interlock_job_part parts[INTERLOCK_JOBS_PARTS];
};

/// Forgets all parts.
void interlock_jobs_reset(interlock_jobs *jobs, bool takes_parts, uint64_t most);

/// Comes to the part `path` of the search, the `number`th of the calling job. Returns it if the job
/// has it or takes it now, and NULL if it is another's. Sets `is_left_out` and returns NULL if no
/// job has it and they have executed enough.
interlock_job_part *interlock_job_come_to(interlock_jobs *jobs, uint32_t job, uint64_t path,
                                          uint64_t number, bool *is_left_out);

/// Counts an order of a part.
void interlock_job_count(interlock_jobs *jobs, interlock_job_part *part);

/// Whether the jobs have executed as many orders as they may.
bool interlock_jobs_have_enough(const interlock_jobs *jobs);

/// Whether a job that has executed `executions` orders goes on: no smaller part has failed.
bool interlock_job_goes_on(interlock_jobs *jobs, uint32_t job, uint64_t executions);

/// A part's number and its job: of two failures, the one with the smaller key counts.
uint64_t interlock_job_key(const interlock_jobs *jobs, uint32_t job);

/// A job has failed at its part: those behind it need not run.
void interlock_jobs_stop_behind(interlock_jobs *jobs, uint64_t key);

/// The orders up to the failure with this key, in an order that does not depend on which job ran
/// when. `executions` has the count of each of `count` jobs.
uint64_t interlock_jobs_orders_until(const interlock_jobs *jobs, uint64_t key,
                                     const uint64_t *executions, uint32_t count);

#endif
