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
  /// Executions that were cut off as known. 0 unless an operation's enabledness is beyond the
  /// table, or objects have other numbers in other executions.
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

/// Optimal dynamic partial order reduction: runs one execution of each set of executions that
/// differ only in the order of independent operations, and then is complete.
///
/// Source: Abdulla, Aronis, Jonsson, Sagonas, "Source Sets: A Foundation for Optimal Dynamic
/// Partial Order Reduction", J. ACM 64(4), 2017, algorithm 2, extended by steps of several
/// operations, by values that a step picks, and by operations that block: a race that a release
/// hides is a race with the operation before the release. At most 64 threads and 65,535 steps.
interlock_strategy *interlock_dpor_create(interlock_dpor_options options);

/// Of a strategy that `interlock_dpor_create` returned.
interlock_dpor_statistics interlock_dpor_get_statistics(const interlock_strategy *strategy);

/// Depth-first search: every order, or every order with at most `preemption_bound` switches away
/// from a thread that could have gone on; `UINT32_MAX` for no bound. It is complete only if the
/// bound kept no order out.
interlock_strategy *interlock_dfs_create(uint32_t preemption_bound);

/// Chooses uniformly among the enabled threads.
interlock_strategy *interlock_random_walk_create(uint64_t seed);

/// PCT (Burckhardt and others, ASPLOS 2010) for bugs of `depth` ordered steps, 1 to 32; else NULL.
interlock_strategy *interlock_pct_create(uint64_t seed, uint32_t depth);

/// POS (Yuan, Yang, Gu, CAV 2018).
interlock_strategy *interlock_pos_create(uint64_t seed);

/// SURW (Zhao, Wolff, Mathur, Roychoudhury, ASPLOS 2025), over the operations on one object, drawn
/// for each execution.
interlock_strategy *interlock_surw_create(uint64_t seed);

/// Each thread takes n steps in its turn, for n = 1, 2, … up to the longest execution.
interlock_strategy *interlock_round_robin_create(void);

/// The choices of one execution, in order: the number of the thread where more than one is enabled,
/// and each value that is picked of more than one.
typedef struct {
  uint32_t *choices;
  size_t count, capacity;
} interlock_schedule;

void interlock_schedule_destroy(interlock_schedule *schedule);

/// Runs one execution with these choices, and on with the current thread behind their end.
interlock_strategy *interlock_replay_create(const uint32_t *choices, size_t count);

/// True if a choice was not possible, or choices were left. Of a replay that has ended.
bool interlock_replay_has_diverged(const interlock_strategy *strategy);

/// What the last execution of a recorder was. Valid until the recorder's next `begin`.
typedef struct {
  const interlock_schedule *schedule;
  /// Equal for executions that take the same steps in the same order.
  uint64_t order;
  /// Equal for executions that differ only in the order of independent steps; 1 if not asked for.
  uint64_t trace;
  /// The thread of each step.
  const uint32_t *steps;
  size_t step_count;
  /// The values that were picked of more than one.
  const uint32_t *picks;
  size_t pick_count;
  /// Where the thread of a step is not that of the step before; and where that one could have gone
  /// on.
  uint32_t switches, preemptions;
} interlock_recording;

/// Hands every call on to `inner`, which it owns, and records. Comparing a step with all before it
/// makes `hashes_traces` quadratic in the number of steps.
interlock_strategy *interlock_recorder_create(interlock_strategy *inner, bool hashes_traces);
interlock_recording interlock_recorder_get(const interlock_strategy *strategy);

/// An estimate of the share of what a sampling strategy can reach that it has reached, by Good and
/// Turing (1953) from the traces of its executions. It says nothing of what the strategy cannot
/// reach, and is too high while traces differ much in their chances.
typedef struct interlock_estimate interlock_estimate;
interlock_estimate *interlock_estimate_create(void);
void interlock_estimate_destroy(interlock_estimate *estimate);
/// Adds an execution by its trace; false without memory.
bool interlock_estimate_add(interlock_estimate *estimate, uint64_t trace);
uint64_t interlock_estimate_distinct(const interlock_estimate *estimate);
/// From 0 to 1.
double interlock_estimate_coverage(const interlock_estimate *estimate);

/// DPOR for `budget` executions. If it has not run every order then, or cannot, a random walk,
/// PCT(3), POS and SURW take turns, without end.
interlock_strategy *interlock_portfolio_create(uint64_t seed, uint64_t budget,
                                               interlock_dpor_options options);

typedef struct {
  /// The strategy of the current or next execution.
  const char *strategy;
  bool is_sampling;
  uint64_t samples;
  /// Executions of DPOR.
  uint64_t ordered;
  /// NULL, or why not every order was run.
  const char *reason;
} interlock_portfolio_state;
interlock_portfolio_state interlock_portfolio_get_state(const interlock_strategy *strategy);

/// Changes over to sampling at the next `begin`: the time for DPOR is used up.
void interlock_portfolio_change_over(interlock_strategy *strategy);

/// Runs one execution under `strategy`, which stays the caller's, and returns its verdict: 0 if it
/// passed, else a number that is the same for the same failure.
typedef uint64_t interlock_shrink_run(void *context, interlock_strategy *strategy);

typedef struct {
  /// Destroyed by the caller.
  interlock_schedule schedule;
  uint32_t switches, preemptions;
  /// How many executions it took.
  uint32_t executions;
  /// False if the given schedule did not fail, or memory was short. The schedule is empty then.
  bool is_failing;
} interlock_shrunk;

/// Looks for a schedule with fewer preemptions, then fewer switches, that fails with the same
/// verdict: delta debugging (Zeller and Hildebrandt, TSE 2002) over the stretches between switches,
/// then one by one. Runs at most `limit` executions.
interlock_shrunk interlock_shrink(interlock_shrink_run *run, void *context, const uint32_t *choices,
                                  size_t count, uint32_t limit);

/// The short text of a schedule, for `body` (any text that names what was run) on pools of `width`
/// threads: `i1-BODY-WIDTH-CHOICES-CHECKSUM`. Returns its length without the terminator, as
/// `snprintf` does.
size_t interlock_token_write(char *text, size_t size, const char *body, uint32_t width,
                             const interlock_schedule *schedule);

/// Reads a token that belongs to `body`. Returns NULL, or in one line why not; then `schedule` is
/// empty.
const char *interlock_token_read(const char *text, const char *body, uint32_t *width,
                                 interlock_schedule *schedule);

#ifdef __cplusplus
}
#endif

#endif
