// Comparison of DPOR with plain search, replay and shrinking, on programs of the model.

#include "model_checks.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DPOR = 1000000 };

// Adds the results of all shards of DPOR to `all`, and sums their own execution counts in `own`.
static void run_shards(const model_program *program, bool by_first_use, uint32_t shards,
                       model_run *all, uint64_t *own) {
  *all = (model_run){.complete = true};
  *own = 0;
  for (uint32_t shard = 0; shard < shards; shard++) {
    interlock_strategy *dpor = interlock_dpor_create((interlock_dpor_options){
        .objects_keep_their_numbers = !by_first_use, .shard = shard, .shards = shards});
    model_run run;
    model_run_all(program, dpor, (model_options){.limit = MOST_DPOR, .by_first_use = by_first_use},
                  &run);
    *own += interlock_dpor_get_statistics(dpor).executions;
    dpor->destroy(dpor);
    all->executions += run.executions;
    all->cut += run.cut;
    all->repeated += run.repeated;
    all->complete &= run.complete;
    model_set_add_all(&all->outcomes, &run.outcomes);
    model_set_add_all(&all->traces, &run.traces);
    model_run_clear(&run);
  }
}

void model_compare_shards(uint64_t first_seed, uint64_t count, uint64_t most, bool by_first_use,
                          uint32_t shards, model_comparison *comparison) {
  *comparison = (model_comparison){0};
  for (uint64_t seed = first_seed; seed < first_seed + count; seed++) {
    model_program program = model_generate(seed);
    interlock_strategy *dfs = interlock_dfs_create(UINT32_MAX);
    model_run all, reduced;
    model_run_all(&program, dfs, (model_options){.limit = most}, &all);
    dfs->destroy(dfs);
    if (!all.complete) {
      comparison->skipped++;
      model_run_clear(&all);
      continue;
    }
    uint64_t own;
    run_shards(&program, by_first_use, shards, &reduced, &own);
    bool is_missing = false;
    for (size_t i = 0; i < all.outcomes.capacity; i++) {
      uint64_t outcome = all.outcomes.values[i];
      is_missing |= outcome && !model_set_contains(&reduced.outcomes, outcome);
    }
    if (is_missing && comparison->missing++ == 0) comparison->first_missing_seed = seed;
    comparison->programs++;
    comparison->dfs_executions += all.executions;
    comparison->dpor_executions += own;
    comparison->traces_differ += all.traces.count != reduced.traces.count;
    comparison->repeated += reduced.repeated > 0;
    comparison->repetitions += own - reduced.traces.count;
    comparison->cut += reduced.cut > 0;
    comparison->incomplete += !reduced.complete;
    model_run_clear(&all);
    model_run_clear(&reduced);
  }
}

void model_compare(uint64_t first_seed, uint64_t count, uint64_t most, bool by_first_use,
                   model_comparison *comparison) {
  model_compare_shards(first_seed, count, most, by_first_use, 1, comparison);
}

typedef struct {
  const model_program *program;
  model_fails *fails;
  uint64_t outcome;
} failing;

static bool has_failed(const model_execution *execution, model_fails *fails) {
  return execution->is_deadlock || (fails && fails(model_last_state()));
}

model_failure model_find_failure(const model_program *program, interlock_strategy *strategy,
                                 model_fails *fails, uint64_t limit) {
  model_failure failure = {0};
  interlock_strategy *recorder = interlock_recorder_create(strategy, false);
  uint64_t order = 0;
  while (!failure.has_failed && failure.executions < limit && recorder->begin(recorder)) {
    failure.execution = model_execute(program, recorder, (model_options){0});
    failure.executions++;
    failure.has_failed = has_failed(&failure.execution, fails);
    if (!failure.has_failed) continue;
    interlock_recording recording = interlock_recorder_get(recorder);
    order = recording.order;
    size_t size = recording.schedule->count * sizeof(uint32_t);
    failure.schedule.choices = malloc(size + 1);
    memcpy(failure.schedule.choices, recording.schedule->choices, size);
    failure.schedule.count = recording.schedule->count;
  }
  recorder->destroy(recorder);
  if (!failure.has_failed) return failure;
  interlock_strategy *replay =
      interlock_replay_create(failure.schedule.choices, failure.schedule.count);
  recorder = interlock_recorder_create(replay, false);
  recorder->begin(recorder);
  model_execution again = model_execute(program, recorder, (model_options){0});
  failure.has_diverged = interlock_replay_has_diverged(replay);
  failure.replays_alike = again.order == failure.execution.order &&
                          again.outcome == failure.execution.outcome &&
                          interlock_recorder_get(recorder).order == order;
  recorder->destroy(recorder);
  return failure;
}

static uint64_t run_shrinking(void *context, interlock_strategy *strategy) {
  failing *f = context;
  if (!strategy->begin(strategy)) return 0;
  model_execution execution = model_execute(f->program, strategy, (model_options){0});
  if (execution.is_deadlock) return 1;
  return f->fails && f->fails(model_last_state()) ? 2 : 0;
}

interlock_shrunk model_shrink(const model_program *program, model_fails *fails,
                              const interlock_schedule *schedule) {
  failing f = {.program = program, .fails = fails};
  return interlock_shrink(run_shrinking, NULL, &f, schedule->choices, schedule->count, 10000);
}

// Two threads that can always continue, for a given number of steps.
typedef struct {
  uint32_t steps, runs, candidates_until_over;
  bool candidates_fail;
} alternating;

static uint64_t run_alternating(void *context, interlock_strategy *strategy) {
  alternating *a = context;
  if (!strategy->begin(strategy)) return 0;
  const interlock_operation read = {.kind = INTERLOCK_OPERATION_READ, .object = 1};
  const interlock_operation pending[] = {read, read};
  const uint32_t enabled[] = {0, 1};
  interlock_exploration_state state = {.threads = 2, .pending = pending, .enabled = enabled,
                                       .enabled_count = 2, .current = -1};
  for (uint32_t step = 0; step < a->steps; step++) {
    state.current = strategy->choose(strategy, &state);
    strategy->performed(strategy, (uint32_t)state.current, &read, 1);
  }
  strategy->end(strategy, INTERLOCK_EXECUTION_FAILED, &state);
  return a->runs++ == 0 || a->candidates_fail;
}

static bool is_over(void *context) {
  alternating *a = context;
  return a->candidates_until_over-- == 0;
}

interlock_shrunk model_shrink_alternating(uint32_t steps, uint32_t limit,
                                          uint32_t candidates_until_over, bool candidates_fail) {
  alternating a = {.steps = steps, .candidates_until_over = candidates_until_over,
                   .candidates_fail = candidates_fail};
  uint32_t *choices = malloc(steps * sizeof *choices);
  for (uint32_t step = 0; step < steps; step++) choices[step] = step % 2;
  interlock_shrunk shrunk =
      interlock_shrink(run_alternating, is_over, &a, choices, steps, limit);
  free(choices);
  return shrunk;
}

// Runs threads that take one step each; every execution runs all of them.
static uint64_t run_in_turn(void *context, interlock_strategy *strategy) {
  enum { most = 256 };
  const uint32_t threads = *(const uint32_t *)context;
  if (threads > most || !strategy->begin(strategy)) return 0;
  const interlock_operation write = {.kind = INTERLOCK_OPERATION_WRITE, .object = 1};
  interlock_operation pending[most];
  uint32_t enabled[most];
  for (uint32_t thread = 0; thread < threads; thread++) {
    pending[thread] = write;
    enabled[thread] = thread;
  }
  interlock_exploration_state state = {.threads = threads, .pending = pending, .enabled = enabled,
                                       .enabled_count = threads, .current = -1};
  while (state.enabled_count > 0) {
    state.current = strategy->choose(strategy, &state);
    strategy->performed(strategy, (uint32_t)state.current, &write, 1);
    uint32_t left = 0;
    for (uint32_t index = 0; index < state.enabled_count; index++) {
      if (enabled[index] != (uint32_t)state.current) enabled[left++] = enabled[index];
    }
    state.enabled_count = left;
  }
  strategy->end(strategy, INTERLOCK_EXECUTION_FAILED, &state);
  return 1;
}

interlock_shrunk model_shrink_in_turn(uint32_t threads) {
  uint32_t *choices = malloc(threads * sizeof *choices);
  for (uint32_t thread = 0; thread < threads; thread++) choices[thread] = thread;
  interlock_shrunk shrunk = interlock_shrink(run_in_turn, NULL, &threads, choices, threads, 1000);
  free(choices);
  return shrunk;
}
