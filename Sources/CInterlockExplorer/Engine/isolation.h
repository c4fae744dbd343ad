/// Executions in child processes: what parent and child share.
#ifndef INTERLOCK_ISOLATION_H
#define INTERLOCK_ISOLATION_H

#include "engine.h"
#include "strategy_log.h"

#ifdef INTERLOCK_INTERPOSES

enum {
  INTERLOCK_SHARED_STEPS = 1 << 20,
  INTERLOCK_SHARED_BLOCKED = 1 << 16,
  INTERLOCK_SHARED_REPORT = 1 << 20
};

/// What both processes see. Of the address space only: pages that are not used take no memory.
typedef struct {
  interlock_exploration_result result;
  interlock_result_details details;
  interlock_explore_status status;
  /// The child has ended by itself, and the result is whole.
  volatile bool is_over;
  /// The child reads symbols in the middle of an execution.
  volatile bool is_naming;
  /// The child needs a lock that another thread of the parent held at the fork.
  volatile bool must_fork_again;
  /// Of the running execution, and of the one that is reported.
  volatile size_t choice_count, step_count;
  size_t report_size;
  /// The hash of the last execution for an estimate.
  uint64_t trace_order;
  /// Each child writes from here on anew.
  uint32_t choices[2 * INTERLOCK_SHARED_STEPS], kept_choices[2 * INTERLOCK_SHARED_STEPS];
  interlock_exploration_step trace[INTERLOCK_SHARED_STEPS + 1],
      kept_trace[INTERLOCK_SHARED_STEPS + 1];
  interlock_blocked_thread kept_blocked[INTERLOCK_SHARED_BLOCKED];
  char report[INTERLOCK_SHARED_REPORT];
  interlock_strategy_log log;
} interlock_shared_memory;

/// Explores in one child; forks again where it needs a lock that was held at the fork.
interlock_explore_status interlock_explore_forked(interlock_shared_memory *shared,
                                                  const interlock_exploration_options *options,
                                                  bool (*body)(void *), void *context,
                                                  interlock_strategy *strategy) HIDDEN;

/// Explores with a child for each execution (isolated_executions.c).
interlock_explore_status interlock_explore_each(interlock_shared_memory *shared,
                                                const interlock_exploration_options *options,
                                                bool (*body)(void *), void *context,
                                                interlock_strategy *strategy,
                                                interlock_exploration_result *result) HIDDEN;

#endif
#endif
