/// The strategies: which thread takes the next step, over many executions.
///
/// A function that makes a strategy returns NULL if there is no memory, or if an argument is
/// outside the range that its comment gives. A strategy is deterministic: the same arguments and
/// the same program give the same executions. Destroy it by its member `destroy`.
#ifndef INTERLOCK_STRATEGIES_H
#define INTERLOCK_STRATEGIES_H

#include "interlock_exploration.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The result of a run of optimal DPOR.
typedef struct {
  /// The executions that ran to their end: one for each class of orders. With shards, this shard's
  /// only.
  uint64_t executions;
  /// The executions that ended early because they repeated a known one. 0, except if the table does
  /// not describe what enables an operation, if an object's number differs between executions, or
  /// with several shards, where the executions of other shards count too.
  uint64_t cut;
  /// The number of scheduled steps that turned out to be blocked. The causes are those of `cut`.
  uint64_t blocked;
  /// The reason why not all orders were run; otherwise NULL.
  const char *incomplete;
} interlock_dpor_statistics;

typedef struct {
  /// True if an object has the same number in every execution, whichever thread uses it first.
  /// Otherwise, two objects that two steps use for the first time count as one object.
  bool objects_keep_their_numbers;
  /// The number of the part that is explored, from 0, and the number of parts; all orders are
  /// explored if `shards` is 0 or 1. All parts together have every order that matters, and few of
  /// them twice.
  uint32_t shard, shards;
} interlock_dpor_options;

/// Optimal dynamic partial order reduction. Executions that differ only in the order of independent
/// operations form a class. The strategy runs one execution of each class, and then is complete.
///
/// Source: Abdulla, Aronis, Jonsson, Sagonas, "Source Sets: A Foundation for Optimal Dynamic
/// Partial Order Reduction", J. ACM 64(4), 2017, algorithm 2. Extended by steps of several
/// operations, by values that a step picks, and by operations that block: if a release hides a
/// race, the race is with the operation before the release. At most 64 threads and 4,096 steps,
/// because each step is compared with all before it.
interlock_strategy *interlock_dpor_create(interlock_dpor_options options);

/// The shared memory of the processes that explore parts of the same orders at once.
typedef struct interlock_jobs interlock_jobs;
enum { INTERLOCK_JOBS_MOST = 64 };
/// Returns NULL if there is no memory.
interlock_jobs *interlock_jobs_create(void);
void interlock_jobs_destroy(interlock_jobs *jobs);

/// Makes a strategy of `interlock_dpor_create` the `job`th of several, counted from 0, which differ
/// in `job` alone: one of them runs each order that matters. Call it before the strategy's first
/// execution.
void interlock_dpor_share(interlock_strategy *strategy, interlock_jobs *jobs, uint32_t job);

/// Returns the counts so far of a strategy that `interlock_dpor_create` made.
interlock_dpor_statistics interlock_dpor_get_statistics(const interlock_strategy *strategy);

/// Depth-first search over every order, or over every order with at most `preemption_bound`
/// switches away from a thread that could have continued; `UINT32_MAX` for no bound. Complete only
/// if the bound excluded no order.
interlock_strategy *interlock_dfs_create(uint32_t preemption_bound);
/// True if every order within the bound was run. For a strategy of `interlock_dfs_create`.
bool interlock_dfs_has_run_out(const interlock_strategy *strategy);

/// Chooses uniformly among the enabled threads.
interlock_strategy *interlock_random_walk_create(uint64_t seed);

/// PCT (Burckhardt and others, ASPLOS 2010) for bugs of `depth` ordered steps, 1 to 32; else NULL.
interlock_strategy *interlock_pct_create(uint64_t seed, uint32_t depth);

/// POS (Yuan, Yang, Gu, CAV 2018).
interlock_strategy *interlock_pos_create(uint64_t seed);

/// SURW (Zhao, Wolff, Mathur, Roychoudhury, ASPLOS 2025), over the operations on one object, drawn
/// for each execution.
interlock_strategy *interlock_surw_create(uint64_t seed);
/// Returns how often a strategy of `interlock_surw_create` has looked at a thread or at an
/// operation of the last execution: its cost, independent of time.
uint64_t interlock_surw_looks(const interlock_strategy *strategy);

/// Round robin: each thread takes n steps in its turn; n is 1, 2, … up to the longest execution.
interlock_strategy *interlock_round_robin_create(void);

/// One order: each thread runs until it waits or yields. Then the thread runs that has been enabled
/// for the longest time.
interlock_strategy *interlock_in_turn_create(void);

/// The choices of one execution, in order: the number of the thread where more than one is enabled,
/// and each value that is picked from more than one.
typedef struct {
  uint32_t *choices;
  size_t count, capacity;
  /// The keys of the memory accesses that are points in the execution; at most 64.
  uint64_t *accesses;
  size_t access_count;
} interlock_schedule;

void interlock_schedule_destroy(interlock_schedule *schedule);

/// Runs one execution with these choices. After the last choice the current thread continues.
interlock_strategy *interlock_replay_create(const uint32_t *choices, size_t count);

/// True if a choice was not possible, or if choices were left over although the execution did not
/// reach the limit of steps. Call it after the replay.
bool interlock_replay_has_diverged(const interlock_strategy *strategy);
/// Returns the number of the first choice that was not possible, from 1, and writes the thread that
/// it names. Returns 0 if choices were left over, or if all were possible.
size_t interlock_replay_first_impossible(const interlock_strategy *strategy, uint32_t *thread);

/// The last execution of a recorder. Valid until the recorder's next `begin`.
typedef struct {
  const interlock_schedule *schedule;
  /// Equal for executions that take the same steps in the same order.
  uint64_t order;
  /// Equal for executions that differ only in the order of independent steps; 1 without
  /// `hashes_traces`.
  uint64_t trace;
  /// The thread of each step.
  const uint32_t *steps;
  size_t step_count;
  /// The values that were picked from more than one.
  const uint32_t *picks;
  size_t pick_count;
  /// The number of steps by another thread than the step before, and of those at which the thread
  /// of the step before was enabled.
  uint32_t switches, preemptions;
} interlock_recording;

/// Forwards every call to `inner`, which it owns, and records the execution. `hashes_traces` costs
/// time quadratic in the number of steps: it compares each step with all before it.
interlock_strategy *interlock_recorder_create(interlock_strategy *inner, bool hashes_traces);
interlock_recording interlock_recorder_get(const interlock_strategy *strategy);

/// An estimate of the share of the traces that a sampling strategy can produce which it has
/// produced. Source: the Good-Turing estimator (Good, 1953). Traces that the strategy cannot
/// produce do not count. The estimate is too high while some traces are much less probable than
/// others.
typedef struct interlock_estimate interlock_estimate;
interlock_estimate *interlock_estimate_create(void);
void interlock_estimate_destroy(interlock_estimate *estimate);
/// Adds an execution by the hash of its trace. Returns false without memory.
bool interlock_estimate_add(interlock_estimate *estimate, uint64_t trace);
uint64_t interlock_estimate_distinct(const interlock_estimate *estimate);
/// Returns the estimated share, from 0 to 1.
double interlock_estimate_coverage(const interlock_estimate *estimate);

/// A random walk, PCT(3), POS and SURW take turns, without end.
interlock_strategy *interlock_portfolio_create(uint64_t seed);

/// Runs one execution under `strategy`, from its `begin` to its `end`, without taking ownership of
/// it. Returns 0 if the execution passed, else a number that identifies the failure.
typedef uint64_t interlock_shrink_run(void *context, interlock_strategy *strategy);
/// Returns true if the time for the search is over.
typedef bool interlock_shrink_is_over(void *context);

typedef struct {
  /// The caller destroys the schedule.
  interlock_schedule schedule;
  uint32_t switches, preemptions;
  /// The number of executions that the search ran, and of candidates that it made.
  uint32_t executions, candidates;
  /// False if the given schedule did not fail, or memory was short. The schedule is empty then.
  bool is_failing;
} interlock_shrunk;

/// Searches for a schedule with fewer preemptions, then fewer switches, that fails with the same
/// verdict. Delta debugging (Zeller and Hildebrandt, TSE 2002) removes stretches between switches;
/// then neighbouring stretches of one thread are joined, as long as that helps. Makes and runs at
/// most `limit` candidates, and none once `is_over` returns true. An `is_over` of NULL means no
/// time limit.
interlock_shrunk interlock_shrink(interlock_shrink_run *run, interlock_shrink_is_over *is_over,
                                  void *context, const uint32_t *choices, size_t count,
                                  uint32_t limit);

/// Writes the token of a schedule: `i1-BODY-wWIDTH-CHOICES-CHECKSUM`, with the accesses behind the
/// width. `body` is any text that names what was run, `width` the number of threads of its pools.
/// Returns the length without the terminator, as `snprintf` does.
size_t interlock_token_write(char *text, size_t size, const char *body, uint32_t width,
                             const interlock_schedule *schedule);

/// Reads a token that belongs to `body`. Returns NULL, or one line that names the error; then
/// `schedule` is empty.
const char *interlock_token_read(const char *text, const char *body, uint32_t *width,
                                 interlock_schedule *schedule);

#ifdef __cplusplus
}
#endif

#endif
