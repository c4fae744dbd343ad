/// Checks over many random programs of the model.
#ifndef STRATEGY_TESTS_MODEL_CHECKS_H
#define STRATEGY_TESTS_MODEL_CHECKS_H

#include "interlock_strategies.h"
#include "model_generator.h"
#include "model_run.h"

enum { MODEL_KINDS = INTERLOCK_OPERATION_COUNT };

/// The result of taking two steps in both orders from one state, for many pairs.
typedef struct {
  uint64_t pairs;
  /// The number of pairs whose order makes a difference although the table has them independent.
  uint64_t wrong;
  /// For pairs of steps with one operation each, by their kinds: the number whose order made a
  /// difference, and the number whose order made none although the table has them dependent.
  uint32_t differs[MODEL_KINDS][MODEL_KINDS], same[MODEL_KINDS][MODEL_KINDS];
  /// The kinds of the first wrong pair.
  uint16_t wrong_first, wrong_second;
  uint64_t wrong_seed;
} model_pairs;
void model_check_pairs(uint64_t first_seed, uint64_t count, model_pairs *pairs);

/// The entry of a kind in the dependency table: its name, and whether it has a row.
const char *model_kind_name(uint16_t kind);
bool model_kind_has_row(uint16_t kind);
/// True if the table has the two operations as dependent.
bool model_operations_depend(interlock_operation a, interlock_operation b);

/// A comparison of DPOR with plain depth-first search.
typedef struct {
  uint64_t programs, skipped, dfs_executions, dpor_executions;
  /// The numbers of programs: with an outcome that DPOR missed; with a different number of traces;
  /// with an execution that repeats a trace, or is cut off; that DPOR did not finish.
  uint64_t missing, traces_differ, repeated, cut, incomplete;
  /// The number of executions that repeat a trace.
  uint64_t repetitions;
  uint64_t first_missing_seed;
} model_comparison;
/// Skips programs for which the plain search needs more than `most` executions.
void model_compare(uint64_t first_seed, uint64_t count, uint64_t most, bool by_first_use,
                   model_comparison *comparison);

/// As `model_compare`, with all shards of DPOR together instead of one search.
void model_compare_shards(uint64_t first_seed, uint64_t count, uint64_t most, bool by_first_use,
                          uint32_t shards, model_comparison *comparison);

/// Runs `strategy` until an outcome is a deadlock or `fails` returns true, then replays that
/// schedule and compares both executions. Destroys the strategy.
typedef struct {
  bool has_failed, replays_alike, has_diverged;
  uint64_t executions;
  model_execution execution;
  /// Destroyed by the caller.
  interlock_schedule schedule;
} model_failure;
typedef bool model_fails(const model_state *state);
model_failure model_find_failure(const model_program *program, interlock_strategy *strategy,
                                 model_fails *fails, uint64_t limit);

/// Shrinks the failure of `model_find_failure`.
interlock_shrunk model_shrink(const model_program *program, model_fails *fails,
                              const interlock_schedule *schedule);

/// Shrinks a failing execution of two threads that take turns. `candidates_fail` says whether the
/// candidates fail too. The time is over after `candidates_until_over` candidates.
interlock_shrunk model_shrink_alternating(uint32_t steps, uint32_t limit,
                                          uint32_t candidates_until_over, bool candidates_fail);

/// Shrinks an execution of threads that take one step each. Each candidate runs all threads, and
/// fails.
interlock_shrunk model_shrink_in_turn(uint32_t threads);

/// Programs with known counts or bugs.
typedef enum {
  /// Each of `threads` locks, updates and unlocks `times` times; only the lock is a point.
  MODEL_LOCKS,
  /// Each of `threads` performs `times` operations, alternately a read and a write.
  MODEL_COUNTER,
  /// Two threads take two locks: in opposite order, or in the same order.
  MODEL_CROSSED,
  MODEL_SAME_ORDER,
  /// Two threads read and then write, without a lock or each in two separate critical sections.
  MODEL_LOST_UPDATE,
  /// A signal that comes before the wait.
  MODEL_LOST_SIGNAL,
  /// Every thread but the last waits on a condition, and the last one signals it once.
  MODEL_WAITERS,
  /// Two blocks on a pool of one worker: the first waits for the second.
  MODEL_DRY_POOL,
  /// A cancellation between a check and the action that the check guards.
  MODEL_CANCEL_LATE,
} model_known;
model_program model_make(model_known which, unsigned threads, unsigned times);
/// True if variable 0 lacks an update at the end of such a program.
bool model_lost_an_update(const model_state *state);

#endif
