/// The strategies: which thread takes the next step, over many executions.
///
/// Every function that makes one returns NULL without memory, or with an argument that the function
/// names as not allowed. A strategy is deterministic: the same arguments and the same program give
/// the same executions. It is destroyed by its own `destroy`.
#ifndef INTERLOCK_STRATEGIES_H
#define INTERLOCK_STRATEGIES_H

#include "interlock_exploration.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a run of optimal DPOR came to.
typedef struct {
  /// Executions that ran to their end: one for each order that matters.
  uint64_t executions;
  /// Executions that were cut off as known. 0 unless an operation's enabledness is beyond the table,
  /// or objects have other numbers in other executions.
  uint64_t cut;
  /// Scheduled steps that turned out to be blocked. The same causes.
  uint64_t blocked;
  /// NULL, or why not all orders were run.
  const char *incomplete;
} interlock_dpor_statistics;

typedef struct {
  /// An object has the same number in every execution, whichever thread uses it first. Without it
  /// objects that two steps both use for the first time count as the same one.
  bool objects_keep_their_numbers;
} interlock_dpor_options;

/// Optimal dynamic partial order reduction: runs one execution of each set of executions that differ
/// only in the order of independent operations, and then is complete.
///
/// Source: Abdulla, Aronis, Jonsson, Sagonas, "Source Sets: A Foundation for Optimal Dynamic Partial
/// Order Reduction", J. ACM 64(4), 2017, algorithm 2, extended by steps of several operations, by
/// values that a step picks, and by operations that block: a race that a release hides is a race
/// with the operation before the release. At most 64 threads and 65,535 steps.
interlock_strategy *interlock_dpor_create(interlock_dpor_options options);

/// Of a strategy that `interlock_dpor_create` returned.
interlock_dpor_statistics interlock_dpor_get_statistics(const interlock_strategy *strategy);

/// Depth-first search: every order, or every order with at most `preemption_bound` switches away from
/// a thread that could have gone on; `UINT32_MAX` for no bound. It is complete only if the bound kept
/// no order out.
interlock_strategy *interlock_dfs_create(uint32_t preemption_bound);

#ifdef __cplusplus
}
#endif

#endif
