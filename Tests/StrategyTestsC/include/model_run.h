/// Runs programs of the model under a strategy.
#ifndef STRATEGY_TESTS_MODEL_RUN_H
#define STRATEGY_TESTS_MODEL_RUN_H

#include "model.h"

/// A set of 64-bit hashes.
typedef struct {
  uint64_t *values;
  size_t count, capacity;
} model_set;

/// True if `value` is new.
bool model_set_add(model_set *set, uint64_t value);
bool model_set_contains(const model_set *set, uint64_t value);
/// Adds the values of another set.
void model_set_add_all(model_set *set, const model_set *other);
void model_set_clear(model_set *set);

typedef struct {
  /// Numbers objects by their first use in the execution, as an engine does that sees only
  /// addresses.
  bool by_first_use;
  /// The largest number of executions; 0 for no limit.
  uint64_t limit;
} model_options;

/// One execution.
typedef struct {
  interlock_execution_end end;
  bool is_deadlock;
  uint64_t outcome;
  /// Equal for executions that differ only in the order of independent steps.
  uint64_t trace;
  /// Equal for executions that take the same steps in the same order.
  uint64_t order;
  unsigned steps;
} model_execution;

/// All executions of a strategy.
typedef struct {
  uint64_t executions, cut, deadlocks;
  /// The number of executions that repeat an earlier one up to the order of independent steps.
  uint64_t repeated;
  model_set outcomes, traces;
  bool complete, reached_limit;
} model_run;

/// Runs one execution, after `begin` of the strategy has returned true.
model_execution model_execute(const model_program *program, interlock_strategy *strategy,
                              model_options options);

/// The state at the end of the last execution.
const model_state *model_last_state(void);

/// Runs the strategy to its end or to the limit. Clears `run` first.
void model_run_all(const model_program *program, interlock_strategy *strategy,
                   model_options options, model_run *run);
void model_run_clear(model_run *run);

/// A sequence of steps, with a hash that does not depend on the order of independent steps.
typedef struct {
  unsigned count;
  struct {
    unsigned slot;
    uint64_t hash;
    model_step step;
  } steps[MODEL_MAX_STEPS];
} model_trace;
void model_trace_add(model_trace *trace, unsigned slot, const model_step *step);
uint64_t model_trace_hash(const model_trace *trace);

#endif
