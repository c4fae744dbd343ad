/// Executions in child processes: what parent and child share. Included by Engine/ and by the tests
/// of what the parent reads.
#ifndef INTERLOCK_ISOLATION_H
#define INTERLOCK_ISOLATION_H

#include "engine.h"
#include "strategy_log.h"

#ifdef INTERLOCK_INTERPOSES

enum {
  /// The largest limit of steps. Behind the limit, an execution goes on for as many steps by a fair
  /// schedule; each makes at most one choice of a thread, and one of a value.
  INTERLOCK_SHARED_STEPS = 1 << 20,
  INTERLOCK_SHARED_TRACE = 2 * INTERLOCK_SHARED_STEPS + 1,
  INTERLOCK_SHARED_CHOICES = 2 * INTERLOCK_SHARED_TRACE,
  INTERLOCK_SHARED_BLOCKED = 1 << 16,
  INTERLOCK_SHARED_REPORT = 1 << 20
};

/// What both processes see. Of the address space only: pages that are not used take no memory.
///
/// The explored body can write here as the child's engine does: the parent reads it through
/// `interlock_child_take` and `interlock_strategy_follow` alone, which take no number on trust.
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
  /// The counts of the running execution, and of the one that is reported.
  volatile size_t choice_count, step_count;
  size_t blocked_count, report_size;
  /// The hash of the last execution for an estimate.
  uint64_t trace_order;
  /// Each child writes from here on anew.
  uint32_t choices[INTERLOCK_SHARED_CHOICES];
  interlock_exploration_step trace[INTERLOCK_SHARED_TRACE];
  interlock_blocked_thread blocked[INTERLOCK_SHARED_BLOCKED];
  char report[INTERLOCK_SHARED_REPORT];
  interlock_strategy_log log;
} interlock_shared_memory;

/// The parent's copy of a child's result: each number is in its range, each text ends, and no
/// pointer is the child's.
typedef struct {
  interlock_exploration_result result;
  interlock_result_details details;
  interlock_explore_status status;
  bool is_over;
  uint64_t trace_order;
  /// The strategy has had the end of the execution.
  bool has_end;
  interlock_execution_end end;
  /// The lists of the result.
  uint32_t *choices;
  interlock_exploration_step *trace;
  interlock_blocked_thread *blocked;
  char *report;
} interlock_child_result;

/// Copies what a child has left (child_result.c). If the child is over and any of it cannot be
/// what the engine writes, the result becomes a crash that says so. `counted` is the parent's own
/// count of the executions; NULL for none. Frees what `child` held before.
void interlock_child_take(const interlock_shared_memory *shared,
                          const interlock_exploration_options *options, const uint64_t *counted,
                          interlock_child_result *child) HIDDEN;
void interlock_child_clear(interlock_child_result *child) HIDDEN;

/// Explores in one child; forks again where it needs a lock that was held at the fork.
interlock_explore_status interlock_explore_forked(interlock_shared_memory *shared,
                                                  const interlock_exploration_options *options,
                                                  bool (*body)(void *), void *context,
                                                  interlock_strategy *strategy,
                                                  interlock_child_result *child) HIDDEN;

/// Explores with a child for each execution (isolated_executions.c).
interlock_explore_status interlock_explore_each(interlock_shared_memory *shared,
                                                const interlock_exploration_options *options,
                                                bool (*body)(void *), void *context,
                                                interlock_strategy *strategy,
                                                interlock_child_result *child,
                                                interlock_exploration_result *result) HIDDEN;

#endif
#endif
