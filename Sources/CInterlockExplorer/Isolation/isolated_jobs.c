// Several child processes that explore parts of the orders at once.
#include "../Strategies/jobs.h"
#include "isolation.h"

#ifdef INTERLOCK_INTERPOSES

#include <string.h>

/// One of the processes. Static, because the result of the last exploration points into it.
typedef struct {
  interlock_child child;
  interlock_exploration_options options;
  interlock_shared_memory *shared;
  interlock_child_result taken;
  interlock_explore_status status;
  bool is_over;
} job;

static job all_jobs[INTERLOCK_JOBS_MOST];

/// The exploration, passed to the functions below.
typedef struct {
  const interlock_exploration_options *options;
  interlock_jobs *jobs;
  /// The number of processes that run.
  uint32_t count;
} exploration;

/// Sets the options of one job. A sampling job gets its share of the executions; the orders of a
/// search are counted by all jobs together.
static void divide(exploration *self, uint32_t number, uint32_t count) {
  interlock_exploration_options *own = &all_jobs[number].options;
  *own = *self->options;
  own->jobs = self->jobs;
  own->job = number;
  own->estimate = NULL;
  const uint64_t most = self->options->executions;
  if (self->jobs->takes_parts) {
    own->executions = 0;
  } else if (most) {
    own->executions = most / count + (number < most % count);
  }
}

/// Starts the jobs, or as many of them as processes can be made.
static void start(exploration *self, uint32_t count, bool is_last, bool (*body)(void *),
                  void *context, interlock_strategy *const *strategies) {
  const uint64_t most = self->options->executions;
  if (most && most < count) count = (uint32_t)most;
  self->count = 0;
  for (uint32_t number = 0; number < count; number++) {
    job *one = &all_jobs[number];
    divide(self, number, count);
    one->is_over = false;
    one->shared = interlock_share_memory(one->shared);
    if (!one->shared) return;
    if (!interlock_child_start(&one->child, one->shared, is_last, &one->options, body, context,
                               strategies[number])) {
      return;
    }
    self->count++;
  }
}

static bool ends_search(const job *one) {
  return one->status != INTERLOCK_EXPLORE_RAN || one->taken.result.failures ||
         one->taken.result.must_begin_anew;
}

/// Takes the results of jobs that have ended. Returns false if a child needs a lock that was held
/// at the fork.
static bool take_ended(exploration *self, bool is_last, uint32_t *left) {
  for (uint32_t number = 0; number < self->count; number++) {
    job *one = &all_jobs[number];
    if (one->is_over) continue;
    if (!interlock_child_watch_look(&one->child.watch)) {
      // The child's report may take long, and the other jobs need not wait for it.
      if (one->shared->is_over && one->shared->result.failures) {
        interlock_jobs_stop_behind(self->jobs, interlock_job_key(self->jobs, number));
      }
      continue;
    }
    if (!interlock_child_finish(&one->child, is_last, &one->options, &one->taken, &one->status)) {
      one->is_over = true;
      return false;
    }
    one->is_over = true;
    (*left)--;
    if (ends_search(one)) {
      interlock_jobs_stop_behind(self->jobs, interlock_job_key(self->jobs, number));
    }
  }
  return true;
}

/// Waits for all jobs. Returns false if they must be started again.
static bool wait_for_all(exploration *self, bool is_last) {
  const interlock_child_watch *watches[INTERLOCK_JOBS_MOST];
  for (uint32_t number = 0; number < self->count; number++) {
    watches[number] = &all_jobs[number].child.watch;
  }
  for (uint32_t left = self->count; left > 0;) {
    if (!take_ended(self, is_last, &left)) {
      for (uint32_t number = 0; number < self->count; number++) {
        job *one = &all_jobs[number];
        if (one->is_over) continue;
        interlock_child_watch_end(&one->child.watch);
        interlock_child_finish(&one->child, true, &one->options, &one->taken, &one->status);
      }
      return false;
    }
    if (left > 0) interlock_children_wait(watches, self->count);
  }
  return true;
}

/// Returns the job whose result counts: of the jobs that ended the search, the job with the
/// smallest key; if there is none, the first job.
static uint32_t deciding(const exploration *self, bool *has_ended) {
  uint32_t chosen = 0;
  *has_ended = false;
  for (uint32_t number = 0; number < self->count; number++) {
    if (!ends_search(&all_jobs[number])) continue;
    if (*has_ended && interlock_job_key(self->jobs, number) >
                          interlock_job_key(self->jobs, chosen)) {
      continue;
    }
    *has_ended = true;
    chosen = number;
  }
  return chosen;
}

/// True if all orders were run: each job has come to the end of the tree, and all to the same
/// parts.
static bool is_complete(const exploration *self, interlock_exploration_result *result,
                        interlock_escaped_operation *escaped) {
  for (uint32_t number = 0; number < self->count; number++) {
    if (!all_jobs[number].taken.result.is_complete) return false;
  }
  for (uint32_t number = 1; number < self->count; number++) {
    if (self->jobs->takes_parts && self->jobs->at[number] != self->jobs->at[0]) {
      interlock_result_add_escaped(result, escaped, "what differs between processes");
      return false;
    }
  }
  return true;
}

static void estimate(const exploration *self, interlock_exploration_result *result) {
  interlock_estimate *all = interlock_estimate_create();
  for (uint32_t number = 0; all && number < self->count; number++) {
    const interlock_shared_memory *shared = all_jobs[number].shared;
    const uint64_t *traces = (const uint64_t *)shared->log.words;
    size_t count = shared->noted_traces;
    if (count > INTERLOCK_SHARED_TRACES) count = INTERLOCK_SHARED_TRACES;
    for (size_t i = 0; i < count; i++) interlock_estimate_add(all, traces[i]);
  }
  if (all) {
    result->reached = interlock_estimate_coverage(all);
    result->distinct = interlock_estimate_distinct(all);
  }
  interlock_estimate_destroy(all);
}

static interlock_explore_status sum(const exploration *self, interlock_exploration_result *result) {
  static interlock_escaped_operation escaped[INTERLOCK_ESCAPED_MOST];
  bool has_ended;
  const uint32_t chosen = deciding(self, &has_ended);
  const job *decides = &all_jobs[chosen];
  if (decides->status != INTERLOCK_EXPLORE_RAN) return decides->status;
  uint64_t executions[INTERLOCK_JOBS_MOST] = {0};
  memset(result, 0, sizeof *result);
  for (uint32_t number = 0; number < self->count; number++) {
    const interlock_exploration_result *one = &all_jobs[number].taken.result;
    executions[number] = one->executions;
    if (number != chosen) interlock_result_add(result, one, escaped);
  }
  const interlock_exploration_result *last = &decides->taken.result;
  interlock_result_add(result, last, escaped);
  result->must_begin_anew = last->must_begin_anew;
  result->facts = last->facts;
  result->failures = last->failures;
  result->is_complete = false;
  if (!has_ended) {
    result->is_complete = is_complete(self, result, escaped);
    result->failed_at = 0;
    if (self->options->estimates) estimate(self, result);
    return INTERLOCK_EXPLORE_RAN;
  }
  // Timing decides which orders the other jobs have run by now, so count only those up to the
  // failure's part.
  uint64_t until = interlock_jobs_orders_until(
      self->jobs, interlock_job_key(self->jobs, chosen), executions, self->count);
  // The execution in which a process dies is not counted.
  if (self->jobs->takes_parts && !decides->taken.is_over) until++;
  result->executions = result->failed_at = until ? until : 1;
  result->cut = 0;
  return INTERLOCK_EXPLORE_RAN;
}

interlock_explore_status interlock_explore_in_jobs(const interlock_exploration_options *options,
                                                   bool (*body)(void *), void *context,
                                                   interlock_strategy *const *strategies,
                                                   uint32_t count, interlock_jobs *jobs,
                                                   bool takes_parts,
                                                   interlock_exploration_result *result) {
  memset(result, 0, sizeof *result);
  if (!interlock_isolation_begin()) return INTERLOCK_EXPLORE_NESTED;
  if (count > INTERLOCK_JOBS_MOST) count = INTERLOCK_JOBS_MOST;
  exploration self = {.options = options, .jobs = jobs};
  uint64_t begun = interlock_real_now();
  for (bool is_over = false; !is_over;) {
    bool is_last = interlock_real_now() - begun > INTERLOCK_OUTSIDE_LONGEST;
    interlock_jobs_reset(jobs, takes_parts, takes_parts ? options->executions : 0);
    start(&self, count, is_last, body, context, strategies);
    is_over = self.count == 0 || wait_for_all(&self, is_last);
  }
  interlock_explore_status status =
      self.count ? sum(&self, result) : INTERLOCK_EXPLORE_NO_CHILD;
  result->nanoseconds = interlock_real_now() - begun;
  interlock_isolation_end();
  return status;
}

#else

#include <string.h>

interlock_explore_status interlock_explore_in_jobs(const interlock_exploration_options *options,
                                                   bool (*body)(void *), void *context,
                                                   interlock_strategy *const *strategies,
                                                   uint32_t count, interlock_jobs *jobs,
                                                   bool takes_parts,
                                                   interlock_exploration_result *result) {
  (void)count, (void)jobs, (void)takes_parts;
  return interlock_explore(options, body, context, strategies[0], result);
}

#endif
