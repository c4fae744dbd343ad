// The engine's part of the model: runs executions under a strategy.

#include "model_run.h"

#include "../../Sources/CInterlockExplorer/Dependency/dependency.h"

#include <stdlib.h>
#include <string.h>

#define K(name) INTERLOCK_OPERATION_##name

bool model_set_contains(const model_set *set, uint64_t value) {
  if (!set->capacity) return false;
  value += !value;
  for (size_t i = value & (set->capacity - 1);; i = (i + 1) & (set->capacity - 1)) {
    if (!set->values[i]) return false;
    if (set->values[i] == value) return true;
  }
}

bool model_set_add(model_set *set, uint64_t value) {
  if (model_set_contains(set, value)) return false;
  if (set->count * 2 >= set->capacity) {
    model_set larger = {.capacity = set->capacity ? set->capacity * 2 : 64};
    larger.values = calloc(larger.capacity, sizeof *larger.values);
    for (size_t i = 0; i < set->capacity; i++) {
      if (set->values[i]) model_set_add(&larger, set->values[i]);
    }
    free(set->values);
    *set = larger;
  }
  value += !value;
  size_t i = value & (set->capacity - 1);
  while (set->values[i]) i = (i + 1) & (set->capacity - 1);
  set->values[i] = value;
  set->count++;
  return true;
}

void model_set_add_all(model_set *set, const model_set *other) {
  for (size_t i = 0; i < other->capacity; i++) {
    if (other->values[i]) model_set_add(set, other->values[i]);
  }
}

void model_set_clear(model_set *set) {
  free(set->values);
  *set = (model_set){0};
}

static bool steps_depend(const model_step *a, const model_step *b) {
  for (size_t i = 0; i < a->count; i++) {
    for (size_t k = 0; k < b->count; k++) {
      if (interlock_operations_depend(&a->operations[i], &b->operations[k])) return true;
    }
  }
  return false;
}

void model_trace_add(model_trace *trace, unsigned slot, const model_step *step) {
  uint64_t hash = model_mix(slot + 1, step->picks);
  for (size_t i = 0; i < step->count; i++) {
    const interlock_operation *o = &step->operations[i];
    hash = model_mix(hash, o->kind | (uint64_t)o->flags << 16 | (uint64_t)o->object << 32);
  }
  // Sums the hashes of the earlier steps that this one depends on: their order is irrelevant.
  uint64_t sum = 0;
  for (unsigned i = 0; i < trace->count; i++) {
    bool made = false;
    for (unsigned k = 0; k < trace->steps[i].step.made_count; k++) {
      made |= trace->steps[i].step.made[k] == slot;
    }
    if (made || trace->steps[i].slot == slot || steps_depend(&trace->steps[i].step, step)) {
      sum += model_mix(trace->steps[i].hash, 7);
    }
  }
  trace->steps[trace->count].slot = slot;
  trace->steps[trace->count].step = *step;
  trace->steps[trace->count++].hash = model_mix(hash, sum);
}

uint64_t model_trace_hash(const model_trace *trace) {
  uint64_t sum = trace->count;
  for (unsigned i = 0; i < trace->count; i++) sum += trace->steps[i].hash;
  return sum;
}

/// The numbers of threads and objects that the strategy sees.
typedef struct {
  bool by_first_use;
  uint32_t threads;
  uint32_t number[MODEL_SLOTS], slot[MODEL_SLOTS];
  uint32_t objects;
  uint8_t object[256];
} numbering;

static uint32_t numbered(numbering *n, uint32_t object) {
  if (!n->by_first_use || !object) return object;
  if (!n->object[object]) n->object[object] = (uint8_t)++n->objects;
  return n->object[object];
}

static interlock_operation translated(numbering *n, interlock_operation o) {
  o.object = numbered(n, o.object);
  switch (o.kind) {
    case K(SIGNAL):
      if (o.other) o.other = n->number[o.other - 1] + 1;
      break;
    case K(LOCK):
    case K(WAIT):
    case K(BEGIN):
    case K(BEGIN_BARRIER):
    case K(TIME_UP):
      o.other = numbered(n, o.other);
      break;
    default:
      break;
  }
  return o;
}

static void add_thread(numbering *n, unsigned slot) {
  n->number[slot] = n->threads;
  n->slot[n->threads++] = slot;
}

static uint32_t pick(void *strategy, uint32_t count) {
  interlock_strategy *s = strategy;
  return s->pick(s, count);
}

// Thread-local, because tests run on several threads.
static _Thread_local model_state last_state;

const model_state *model_last_state(void) { return &last_state; }

model_execution model_execute(const model_program *program, interlock_strategy *strategy,
                              model_options options) {
  model_state *at = &last_state;
  numbering n = {.by_first_use = options.by_first_use};
  static _Thread_local model_trace trace;
  model_execution execution = {.end = INTERLOCK_EXECUTION_LIMITED};
  model_begin(program, at);
  trace.count = 0;
  for (unsigned i = 0; i < MODEL_SLOTS; i++) {
    if (at->threads[i].status == MODEL_LIVE) add_thread(&n, i);
  }
  interlock_operation pending[MODEL_SLOTS];
  uint32_t enabled[MODEL_SLOTS];
  interlock_exploration_state seen = {.pending = pending, .enabled = enabled, .current = -1};
  for (;;) {
    seen.threads = n.threads;
    seen.enabled_count = 0;
    bool is_any_alive = false;
    for (uint32_t i = 0; i < n.threads; i++) {
      pending[i] = translated(&n, model_pending(program, at, n.slot[i]));
      is_any_alive |= pending[i].kind != 0;
      if (model_is_enabled(program, at, n.slot[i])) enabled[seen.enabled_count++] = i;
    }
    if (!seen.enabled_count) {
      execution.is_deadlock = is_any_alive;
      execution.end = is_any_alive ? INTERLOCK_EXECUTION_FAILED : INTERLOCK_EXECUTION_PASSED;
      break;
    }
    if (trace.count == MODEL_MAX_STEPS) break;
    int32_t choice = strategy->choose(strategy, &seen);
    if (choice == INTERLOCK_CHOICE_CUT) {
      execution.end = INTERLOCK_EXECUTION_CUT;
      break;
    }
    model_step step;
    unsigned slot = n.slot[choice];
    model_take_step(program, at, slot, pick, strategy, &step);
    for (unsigned i = 0; i < step.made_count; i++) add_thread(&n, step.made[i]);
    model_trace_add(&trace, slot, &step);
    execution.order = model_mix(execution.order, slot * 64 + step.picks + 1);
    for (size_t i = 0; i < step.count; i++) {
      step.operations[i] = translated(&n, step.operations[i]);
    }
    strategy->performed(strategy, (uint32_t)choice, step.operations, step.count);
    seen.current = choice;
  }
  execution.steps = trace.count;
  execution.outcome = model_outcome(at);
  execution.trace = model_trace_hash(&trace);
  strategy->end(strategy, execution.end, &seen);
  return execution;
}

void model_run_all(const model_program *program, interlock_strategy *strategy,
                   model_options options, model_run *run) {
  *run = (model_run){0};
  while (strategy->begin(strategy)) {
    model_execution execution = model_execute(program, strategy, options);
    if (execution.end == INTERLOCK_EXECUTION_CUT) {
      run->cut++;
    } else {
      run->executions++;
      run->deadlocks += execution.is_deadlock;
      model_set_add(&run->outcomes, execution.outcome);
      run->repeated += !model_set_add(&run->traces, execution.trace);
    }
    if (options.limit && run->executions + run->cut >= options.limit) {
      run->reached_limit = true;
      break;
    }
  }
  run->complete = strategy->is_complete(strategy);
}

void model_run_clear(model_run *run) {
  model_set_clear(&run->outcomes);
  model_set_clear(&run->traces);
}
