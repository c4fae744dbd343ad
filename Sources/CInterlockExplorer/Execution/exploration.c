// An exploration: executions, one after another until the strategy, a limit or a failure ends them.
#include "../Calls/calls.h"
#include "../Calls/swift_mutexes.h"
#include "../Concurrency/tasks.h"
#include "../Sections/sections.h"
#include "../Strategies/jobs.h"
#include "../Threads/logical_threads.h"
#include "../Engine/engine.h"
#include "../Isolation/isolation.h"
#include "../Memory/weak_exchanges.h"
#include "interlock_layouts.h"
#include "interlock_strategies.h"

#ifdef INTERLOCK_INTERPOSES

#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ENGINE interlock_the_engine

static const interlock_engine_models models = {
    .waits_for_outside = interlock_waits_for_outside,
    .tasks_left = interlock_tasks_left,
    .dry_pool = interlock_model_dry_pool,
    .is_on_task_pool = interlock_model_is_on_task_pool,
    .run_items = interlock_model_run_items,
};

/// NULL if races in memory are not checked.
void interlock_memory_set_points(const uintptr_t *sites, size_t count, bool reports)
    __attribute__((weak));

static void set_points(const uintptr_t *sites, size_t count) {
  // Without `follows_callers` the race is not reported here, but where the failing order is shown.
  bool reports = ENGINE.options.follows_callers;
  if (interlock_memory_set_points) interlock_memory_set_points(sites, count, reports);
}

/// The data of the last failure, kept beyond the engine's next execution.
static uint32_t *kept_choices;
static interlock_exploration_step *kept_trace;
static interlock_blocked_thread *kept_blocked;

static void *copy(const void *items, size_t size) {
  void *made = malloc(size ? size : 1);
  if (made && size) memcpy(made, items, size);
  return made;
}

static void keep(void) {
  interlock_exploration_result *result = ENGINE.result;
  result->verdict = ENGINE.verdict;
  result->signal = ENGINE.signal;
  result->trace_hash = ENGINE.hash;
  result->failed_thread = ENGINE.failed_thread;
  memcpy(ENGINE.details->place, ENGINE.place, sizeof ENGINE.place);
  memcpy(ENGINE.details->text, ENGINE.text, sizeof ENGINE.text);
  result->dry_pool_width = ENGINE.dry_pool_width;
  free(kept_choices);
  free(kept_trace);
  free(kept_blocked);
  size_t choices = ENGINE.choices.count, steps = ENGINE.trace.count;
  size_t blocked = ENGINE.blocked.count;
  kept_choices = copy(ENGINE.choices.items, choices * sizeof *kept_choices);
  kept_trace = copy(ENGINE.trace.items, steps * sizeof *kept_trace);
  result->choices_made = kept_choices;
  result->choice_count = kept_choices ? choices : 0;
  result->trace = kept_trace;
  result->trace_count = kept_trace ? steps : 0;
  kept_blocked = copy(ENGINE.blocked.items, blocked * sizeof *kept_blocked);
  result->blocked = kept_blocked;
  result->blocked_count = kept_blocked ? blocked : 0;
  result->named_count = 0;
  // A walk over the whole table, too slow for each failed execution of many.
  if (ENGINE.options.follows_callers) interlock_objects_describe(result, ENGINE.details);
}

/// The number of executions so far. Not in the result, where the body may write over the count and
/// so run for ever.
static uint64_t counted;

static void count_execution(bool passed, bool is_own) {
  interlock_exploration_result *result = ENGINE.result;
  result->executions = ++counted;
  result->steps += ENGINE.steps;
  result->looks += ENGINE.looks;
  result->switches += ENGINE.switches;
  result->choices += ENGINE.choice_count;
  // The execution belongs to another shard or job.
  if (ENGINE.is_cut || !is_own) result->cut++;
  if (!passed) {
    result->failed_at = counted;
    result->failures++;
    keep();
  }
}

/// True if the budget is spent. Reads the clock after about each 1 % of the budget, and at least
/// once in 16 executions.
static bool is_budget_spent(uint64_t begun) {
  static uint64_t next;
  uint64_t budget = ENGINE.options.budget, executions = counted;
  if (executions <= 1) next = 0;
  if (budget == 0 || executions < next) return false;
  uint64_t spent = interlock_real_now() - begun;
  uint64_t for_each = spent / (executions ? executions : 1);
  uint64_t skipped = for_each ? budget / 100 / for_each : 16;
  next = executions + (skipped < 1 ? 1 : skipped > 16 ? 16 : skipped);
  return spent >= budget;
}

/// True once the estimate has enough executions: its table takes memory.
static bool estimate_is_full(const interlock_estimate *estimate) {
  return interlock_estimate_distinct(estimate) >= 1 << 17;
}

/// Notes the hash for the parent process, which estimates from the traces of all jobs.
static void note_trace(void) {
  if (!ENGINE.noted_traces || *ENGINE.noted_trace_count == INTERLOCK_SHARED_TRACES) return;
  ENGINE.noted_traces[(*ENGINE.noted_trace_count)++] = interlock_trace_hash();
}

static void run_executions(void) {
  interlock_exploration_result *result = ENGINE.result;
  interlock_strategy *strategy = ENGINE.strategy;
  uint64_t begun = interlock_real_now();
  bool follows_callers = ENGINE.options.follows_callers;
  interlock_estimate *own = NULL, *estimate = ENGINE.options.estimate;
  if (ENGINE.options.estimates && !estimate) estimate = own = interlock_estimate_create();
  interlock_engine_warm_up();
  result->left_behind = 0;
  counted = 0;
  while (!result->must_begin_anew) {
    interlock_jobs *jobs = ENGINE.options.jobs;
    if (jobs && !interlock_job_goes_on(jobs, ENGINE.options.job, counted)) break;
    if (!strategy->begin(strategy)) break;
    if (ENGINE.is_child && ENGINE.counter >= 0) eventfd_write(ENGINE.counter, 1);
    // These executions are checked for determinism, and a report of a difference shows their lines.
    ENGINE.options.follows_callers =
        follows_callers || counted < ENGINE.options.determinism_checks;
    bool passed = interlock_engine_execute();
    // An execution that reached a limit of time, or that depends on uncontrolled events, would
    // differ by itself.
    bool is_repeatable = !ENGINE.is_cut && !ENGINE.is_limited && !ENGINE.has_escaped;
    if (counted < ENGINE.options.determinism_checks && is_repeatable) {
      passed = interlock_engine_repeat() && passed;
    }
    bool is_own = !strategy->is_own || strategy->is_own(strategy);
    count_execution(passed, is_own);
    if (estimate && !ENGINE.is_cut && !estimate_is_full(estimate)) {
      interlock_estimate_add(estimate, interlock_trace_hash());
    }
    if (ENGINE.options.estimates && !ENGINE.is_cut) note_trace();
    interlock_execution_end end = ENGINE.is_limited ? INTERLOCK_EXECUTION_LIMITED
                                  : !passed         ? INTERLOCK_EXECUTION_FAILED
                                                    : INTERLOCK_EXECUTION_PASSED;
    size_t steps = ENGINE.trace.count;
    interlock_exploration_state last =
        interlock_engine_state(steps ? (int32_t)ENGINE.trace.items[steps - 1].thread : -1);
    // If the strategy cut the execution off, it has had the end already.
    if (!ENGINE.is_cut) strategy->end(strategy, end, &last);
    if (!passed && !ENGINE.options.keeps_going) break;
    if (ENGINE.options.executions && counted >= ENGINE.options.executions) break;
    if (jobs && is_own && interlock_jobs_have_enough(jobs)) break;
    if (is_budget_spent(begun)) break;
  }
  // If no execution failed, keep the trace and the hash of the last one.
  if (!result->failures) keep();
  interlock_engine_cool_down();
  if (estimate) {
    result->reached = interlock_estimate_coverage(estimate);
    result->distinct = interlock_estimate_distinct(estimate);
    interlock_estimate_destroy(own);
  }
  result->is_complete = strategy->is_complete(strategy);
  result->nanoseconds = interlock_real_now() - begun;
}

/// One exploration runs at a time: threads take this word, and wait on it in the kernel. Not a
/// mutex, whose calls are interposed.
static int running;
enum { not_running, runs, runs_and_others_wait };

static void wait_on_running(int operation, int value) {
  typedef long system_call(long, ...);
  INTERLOCK_REAL(system_call, syscall)(SYS_futex, &running, operation, value, NULL, NULL, 0);
}

static void begin_alone(void) {
  int found = not_running;
  // Acquire: pairs with the release in `end_alone`, so that this exploration sees what the last one
  // wrote.
  if (__atomic_compare_exchange_n(&running, &found, runs, false, __ATOMIC_ACQUIRE,
                                  __ATOMIC_RELAXED)) {
    return;
  }
  while (__atomic_exchange_n(&running, runs_and_others_wait, __ATOMIC_ACQUIRE) != not_running) {
    wait_on_running(FUTEX_WAIT_PRIVATE, runs_and_others_wait);
  }
}

static void end_alone(void) {
  // Release: pairs with the acquires in `begin_alone`.
  if (__atomic_exchange_n(&running, not_running, __ATOMIC_RELEASE) == runs_and_others_wait) {
    wait_on_running(FUTEX_WAKE_PRIVATE, 1);
  }
}

interlock_explore_status interlock_explore(const interlock_exploration_options *options,
                                           bool (*body)(void *), void *context,
                                           interlock_strategy *strategy,
                                           interlock_exploration_result *result) {
  static interlock_result_details own_details;
  memset(result, 0, sizeof *result);
  if (interlock_is_explored()) return INTERLOCK_EXPLORE_NESTED;
  interlock_marks.hidden++;
  begin_alone();
  interlock_explore_status status = INTERLOCK_EXPLORE_NO_CALLS;
  if (interlock_control_begin(&interlock_explorer_performer)) {
    status = INTERLOCK_EXPLORE_RAN;
    ENGINE.options = *options;
    ENGINE.models = &models;
    if (!ENGINE.options.steps) ENGINE.options.steps = 1000000;
    const uint64_t chosen = ENGINE.options.chosen_steps, most = ENGINE.options.steps;
    if (!chosen || chosen > most) ENGINE.options.chosen_steps = most;
    if (!ENGINE.options.execution_time) ENGINE.options.execution_time = 10000000000;
    result->facts = options->facts;
    interlock_stacks_use(options->uses_os_threads || !interlock_can_switch(),
                         interlock_logical_main);
    ENGINE.strategy = strategy;
    ENGINE.result = result;
    if (!ENGINE.details) ENGINE.details = &own_details;
    memset(ENGINE.details, 0, sizeof *ENGINE.details);
    interlock_result_show(result, ENGINE.details);
    if (!interlock_mutexes_are_led()) {
      interlock_result_add_escaped(result, ENGINE.details->escaped, "a Mutex in unknown code");
    }
    ENGINE.body = body;
    ENGINE.body_context = context;
    ENGINE.has_escaped = false;
    interlock_descriptors_note();
    interlock_outside_reset();
    interlock_interruptions_begin();
    interlock_sections_begin();
    interlock_share_exchanges();
    set_points(options->points, options->point_count);
    if (interlock_stacks_are_os_threads()) interlock_processor_enter();
    // With random hash seeds, a body that iterates over a dictionary would differ between
    // executions.
    bool were_by_size = interlock_hash_tables_by_size(true);
    run_executions();
    interlock_hash_tables_by_size(were_by_size);
    interlock_processor_leave();
    set_points(NULL, 0);
    interlock_sections_end();
    interlock_interruptions_end();
    ENGINE.strategy = NULL;
    ENGINE.result = NULL;
    interlock_control_end();
  }
  end_alone();
  interlock_engine_come_after_all();
  interlock_marks.hidden--;
  return status;
}

#else

#include <string.h>

interlock_explore_status interlock_explore(const interlock_exploration_options *options,
                                           bool (*body)(void *), void *context,
                                           interlock_strategy *strategy,
                                           interlock_exploration_result *result) {
  (void)options, (void)body, (void)context, (void)strategy;
  memset(result, 0, sizeof *result);
  return INTERLOCK_EXPLORE_NO_CALLS;
}

#endif
