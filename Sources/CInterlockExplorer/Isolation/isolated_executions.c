// Exploration in child processes: one child for all executions, or one for each execution, so that
// each finds the memory as it was before the first.
#include "interlock_strategies.h"
#include "isolation.h"

#ifdef INTERLOCK_INTERPOSES

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The data that all executions of an exploration share.
typedef struct {
  interlock_shared_memory *shared;
  interlock_exploration_options options;
  bool (*body)(void *);
  void *context;
  interlock_strategy *strategy;
  /// The parent's copy of the last child's result.
  interlock_child_result *child;
  interlock_logged_strategy logged;
} explored;

static interlock_explore_status execute(explored *self) {
  self->shared->log.count = 0;
  self->shared->log.is_full = self->shared->log.has_ended = false;
  interlock_strategy *logged = interlock_strategy_logged(&self->logged, self->strategy,
                                                         &self->shared->log);
  return interlock_explore_forked(self->shared, &self->options, self->body, self->context, logged,
                                  self->child);
}

/// An execution that reached a limit of time, or that depends on uncontrolled events, would differ
/// by itself.
static bool is_repeatable(const interlock_child_result *child) {
  return child->is_over && child->has_end && child->result.escaped_count == 0 &&
         child->end <= INTERLOCK_EXECUTION_FAILED && !child->result.must_begin_anew;
}

/// Executes once more. The strategy has not advanced, so its copy in the child chooses the same. A
/// trace that differs becomes the failure.
static interlock_explore_status repeat(explored *self) {
  interlock_exploration_result first = self->child->result, *second = &self->child->result;
  size_t size = first.trace_count * sizeof *first.trace;
  interlock_exploration_step *trace = malloc(size ? size : 1);
  if (!trace) return INTERLOCK_EXPLORE_NO_MEMORY;
  memcpy(trace, first.trace, size);
  interlock_explore_status status = execute(self);
  bool is_same = second->trace_hash == first.trace_hash && second->verdict == first.verdict;
  if (status == INTERLOCK_EXPLORE_RAN && !is_same) {
    interlock_describe_difference(trace, first.trace_count, second->trace, second->trace_count,
                                  second, self->child->details.text,
                                  sizeof self->child->details.text);
    second->verdict = INTERLOCK_EXPLORED_NOT_DETERMINISTIC;
    second->failures = second->failed_at = 1;
  }
  free(trace);
  return status;
}

/// The escaped operations of all executions.
static interlock_escaped_operation escaped[INTERLOCK_ESCAPED_MOST];

/// Passes the last execution to the strategy and returns whether the exploration continues. Does so
/// after a failure too, because the caller asks a replay what it recorded.
static bool goes_on(explored *self, interlock_exploration_result *result) {
  if (result->must_begin_anew) return false;
  bool follows = interlock_strategy_follow(self->strategy, &self->shared->log);
  if (follows || result->failures) return !result->failures;
  interlock_result_add_escaped(
      result, escaped, "an execution that cannot be followed from outside its process");
  return false;
}

/// Runs each execution in a child process of its own.
static interlock_explore_status explore_each(interlock_shared_memory *shared,
                                             const interlock_exploration_options *options,
                                             bool (*body)(void *), void *context,
                                             interlock_strategy *strategy,
                                             interlock_child_result *child,
                                             interlock_exploration_result *result) {
  explored self = {shared, *options, body, context, strategy, child, .logged = {0}};
  self.options.executions = 1;
  self.options.determinism_checks = 0;
  uint64_t begun = interlock_real_now(), spent = 0;
  interlock_estimate *estimate = options->estimates ? interlock_estimate_create() : NULL;
  interlock_explore_status status = INTERLOCK_EXPLORE_RAN;
  result->facts = options->facts;
  while (strategy->begin(strategy)) {
    bool is_checked = result->executions < options->determinism_checks;
    // A report of a difference shows the lines.
    self.options.follows_callers = options->follows_callers || is_checked;
    self.options.facts = result->facts;
    status = execute(&self);
    if (status == INTERLOCK_EXPLORE_RAN && is_checked && is_repeatable(child)) {
      status = repeat(&self);
    }
    if (status != INTERLOCK_EXPLORE_RAN) break;
    interlock_result_add(result, &child->result, escaped);
    if (estimate && child->end != INTERLOCK_EXECUTION_CUT) {
      interlock_estimate_add(estimate, child->trace_order);
    }
    if (!goes_on(&self, result)) break;
    if (options->executions && result->executions >= options->executions) break;
    spent = interlock_real_now() - begun;
    if (options->budget && spent >= options->budget) break;
  }
  free(self.logged.pending.items);
  if (estimate) {
    result->reached = interlock_estimate_coverage(estimate);
    result->distinct = interlock_estimate_distinct(estimate);
    interlock_estimate_destroy(estimate);
  }
  result->is_complete =
      !result->failures && !result->escaped_count && strategy->is_complete(strategy);
  result->nanoseconds = interlock_real_now() - begun;
  return status;
}

interlock_explore_status interlock_explore_isolated(const interlock_exploration_options *options,
                                                    bool (*body)(void *), void *context,
                                                    interlock_strategy *strategy,
                                                    interlock_exploration_result *result) {
  static interlock_shared_memory *last;
  // Static, because the result points into it.
  static interlock_child_result child;
  memset(result, 0, sizeof *result);
  if (!interlock_isolation_begin()) return INTERLOCK_EXPLORE_NESTED;
  interlock_explore_status status = INTERLOCK_EXPLORE_NO_MEMORY;
  last = interlock_share_memory(last);
  if (last && options->forks_each) {
    status = explore_each(last, options, body, context, strategy, &child, result);
  } else if (last) {
    status = interlock_explore_forked(last, options, body, context, strategy, &child);
    if (status == INTERLOCK_EXPLORE_RAN) *result = child.result;
  }
  interlock_isolation_end();
  return status;
}

#else

interlock_explore_status interlock_explore_isolated(const interlock_exploration_options *options,
                                                    bool (*body)(void *), void *context,
                                                    interlock_strategy *strategy,
                                                    interlock_exploration_result *result) {
  return interlock_explore(options, body, context, strategy, result);
}

#endif
