// Two checks. Whether an execution depends on its choices alone: it is run a second time, and the
// traces are compared. Whether an execution leaves state behind: the first execution of a body is
// compared with the second, and the second with an execution after all others.
#include "../Engine/engine.h"

#ifdef INTERLOCK_INTERPOSES

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENGINE interlock_the_engine

/// The steps and the verdict of an execution that has ended.
typedef struct {
  INTERLOCK_LIST(interlock_exploration_step) trace;
  uint64_t hash;
  interlock_explored_verdict verdict;
} record;

static record first;

static bool is_same_step(const interlock_exploration_step *a, const interlock_exploration_step *b) {
  return a->thread == b->thread && a->enabled == b->enabled &&
         memcmp(&a->operation, &b->operation, sizeof a->operation) == 0;
}

/// Appends the thread and the operation of a step, or that the execution has no such step.
static void describe(char *text, size_t size, const interlock_exploration_step *step) {
  size_t length = strlen(text);
  if (!step) {
    snprintf(text + length, size - length, "it was over");
    return;
  }
  snprintf(text + length, size - length, "thread %u of %u did '%s' of object %u at %#lx",
           step->thread, step->enabled, interlock_operation_name(step->operation.kind),
           step->operation.object, (unsigned long)step->place);
}

void interlock_describe_difference(const interlock_exploration_step *first, size_t first_count,
                                   const interlock_exploration_step *second, size_t second_count,
                                   interlock_exploration_result *result, char *text, size_t size) {
  size_t at = 0;
  while (at < first_count && at < second_count && is_same_step(&first[at], &second[at])) at++;
  if (at == first_count && at == second_count) {
    snprintf(text, size,
             "the same choices led to other results: a step did something else than before");
    return;
  }
  const interlock_exploration_step *one = at < first_count ? &first[at] : NULL;
  const interlock_exploration_step *other = at < second_count ? &second[at] : NULL;
  snprintf(text, size, "the same choices led to another trace: at step %zu, ", at + 1);
  describe(text, size, one);
  size_t length = strlen(text);
  snprintf(text + length, size - length, "; the second time, ");
  describe(text, size, other);
  const interlock_exploration_step over = {0};
  result->differed_at = at + 1;
  result->differed[0] = one ? *one : over;
  result->differed[1] = other ? *other : over;
}

static void report_difference(void) {
  char text[sizeof ENGINE.text];
  interlock_describe_difference(first.trace.items, first.trace.count, ENGINE.trace.items,
                                ENGINE.trace.count, ENGINE.result, text, sizeof text);
  ENGINE.verdict = INTERLOCK_EXPLORED_PASSED;
  interlock_execution_fail(INTERLOCK_EXPLORED_NOT_DETERMINISTIC, text);
}

static void execute_again(void) {
  ENGINE.repeated.count = 0;
  for (size_t index = 0; index < ENGINE.choices.count; index++) {
    INTERLOCK_PUSH(&ENGINE.repeated, ENGINE.choices.items[index]);
  }
  ENGINE.next_repeated = 0;
  ENGINE.is_repeating = true;
  interlock_engine_execute();
  ENGINE.is_repeating = false;
  ENGINE.is_cut = false;
  // Restore the choices of the chosen execution, for the report of a failure.
  ENGINE.choices.count = 0;
  for (size_t index = 0; index < ENGINE.repeated.count; index++) {
    INTERLOCK_PUSH(&ENGINE.choices, ENGINE.repeated.items[index]);
  }
  ENGINE.choice_count = ENGINE.choices.count;
}

bool interlock_engine_repeat(void) {
  // Globals are initialised once: compare only executions that initialise none.
  for (int tries = 0; ENGINE.has_initialised && tries < 3; tries++) execute_again();
  first.trace.count = 0;
  for (size_t index = 0; index < ENGINE.trace.count; index++) {
    INTERLOCK_PUSH(&first.trace, ENGINE.trace.items[index]);
  }
  first.hash = ENGINE.hash;
  first.verdict = ENGINE.verdict;
  execute_again();
  bool is_same = ENGINE.hash == first.hash && ENGINE.verdict == first.verdict;
  if (!is_same) report_difference();
  return is_same && first.verdict == INTERLOCK_EXPLORED_PASSED;
}

/// The execution before the last one, of those that no strategy chooses.
static interlock_warm_execution before;

static bool is_same_warm_step(const interlock_warm_step *a, const interlock_warm_step *b) {
  return a->kind == b->kind && a->place == b->place;
}

static bool has_kept_state(void) {
  const interlock_warm_execution *last = &ENGINE.warm;
  if (last->verdict != before.verdict) return true;
  // A failed execution may end at any step, so the steps are not compared.
  if (last->verdict != INTERLOCK_EXPLORED_PASSED) return false;
  if (last->steps.count != before.steps.count) return true;
  for (size_t index = 0; index < last->steps.count; index++) {
    if (!is_same_warm_step(&last->steps.items[index], &before.steps.items[index])) return true;
  }
  return false;
}

/// True if the last execution ended so that its steps can be compared with those of another one.
static bool has_comparable_end(void) {
  return ENGINE.verdict <= INTERLOCK_EXPLORED_FAILED && !ENGINE.is_limited && !ENGINE.has_escaped;
}

/// Runs one more execution that no strategy chooses. Returns whether it can be compared.
static bool execute_warm(void) {
  const interlock_warm_execution reused = before;
  before = ENGINE.warm;
  ENGINE.warm = reused;
  ENGINE.warm.steps.count = 0;
  ENGINE.is_warming_up = true;
  interlock_engine_execute();
  ENGINE.is_warming_up = false;
  ENGINE.warm.verdict = ENGINE.verdict;
  return has_comparable_end();
}

/// True if the two executions before the first counted one were compared.
static bool can_compare;

void interlock_engine_warm_up(void) {
  const uint32_t known = ENGINE.result->facts;
  can_compare = false;
  if (ENGINE.options.warm_ups == 0) return;
  const bool is_comparable = execute_warm();
  ENGINE.result->failed_first = ENGINE.verdict == INTERLOCK_EXPLORED_FAILED;
  if (ENGINE.options.warm_ups == 1 || !is_comparable) return;
  // New facts make more points, so the two executions differ. A new child knows the facts, and its
  // first execution has the same points.
  const bool has_learnt = ENGINE.result->facts != known;
  // A replay, which has `forks_each`, keeps to the facts of its exploration.
  if (has_learnt && ENGINE.is_child && !ENGINE.options.forks_each) {
    ENGINE.result->must_begin_anew = true;
  }
  if (ENGINE.result->must_begin_anew) return;
  can_compare = execute_warm() && !has_learnt;
  if (can_compare && has_kept_state()) interlock_learn(INTERLOCK_FACT_KEEPS_STATE);
}

void interlock_engine_cool_down(void) {
  if (!can_compare || ENGINE.result->failures || ENGINE.result->must_begin_anew) return;
  const uint64_t left_behind = ENGINE.result->left_behind;
  // An order that a strategy chose may have left state behind as well.
  if (execute_warm() && has_kept_state()) interlock_learn(INTERLOCK_FACT_KEEPS_STATE);
  ENGINE.result->left_behind = left_behind;
}

#endif
