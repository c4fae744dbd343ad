// A recorder: forwards every call to another strategy and keeps the last execution.

#include "recorder.h"

#include "Random/sampling.h"

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
  return hash ^ hash >> 29;
}

static bool begin(interlock_strategy *strategy) {
  interlock_recorder *self = (interlock_recorder *)strategy;
  self->schedule.count = self->picks.count = 0;
  self->step_count = 0;
  self->thread_count = 0;
  self->order = self->trace = 1;
  self->switches = self->preemptions = 0;
  for (size_t i = 0; i < self->record_count; i++) {
    interlock_step_record_release(self->records[i].record);
  }
  self->record_count = 0;
  return self->inner->begin(self->inner);
}

// Gives threads their identities: the n-th thread that a thread makes has the same one in every
// execution.
static void note_threads(interlock_recorder *self, const interlock_exploration_state *state) {
  if (!interlock_reserve((void **)&self->threads, &self->thread_capacity, state->threads,
                         sizeof *self->threads)) {
    return;
  }
  for (uint32_t thread = self->thread_count; thread < state->threads; thread++) {
    uint64_t parent = 7;
    uint32_t ordinal = thread;
    if (self->step_count > 0) {
      interlock_recorded_thread *maker = &self->threads[self->steps[self->step_count - 1]];
      parent = maker->identity;
      ordinal = maker->made++;
    }
    self->threads[thread] = (interlock_recorded_thread){.identity = mix(parent, ordinal + 1)};
    // The maker's step happens before the new thread's first step.
    self->threads[thread].last =
        self->record_count ? self->records[self->record_count - 1].hash : 0;
  }
  self->thread_count = state->threads;
}

static int32_t choose(interlock_strategy *strategy, const interlock_exploration_state *state) {
  interlock_recorder *self = (interlock_recorder *)strategy;
  note_threads(self, state);
  int32_t choice = self->inner->choose(self->inner, state);
  if (choice == INTERLOCK_CHOICE_CUT) return choice;
  if (state->enabled_count > 1) interlock_schedule_add(&self->schedule, (uint32_t)choice);
  if (state->current >= 0 && choice != state->current) {
    self->switches++;
    for (uint32_t i = 0; i < state->enabled_count; i++) {
      self->preemptions += (int32_t)state->enabled[i] == state->current;
    }
  }
  return choice;
}

static uint32_t pick_useful(interlock_strategy *strategy, uint32_t count, uint64_t useful) {
  interlock_recorder *self = (interlock_recorder *)strategy;
  if (count <= 1) return 0;
  interlock_strategy *inner = self->inner;
  uint32_t value = inner->pick_useful ? inner->pick_useful(inner, count, useful)
                                      : inner->pick(inner, count);
  interlock_schedule_add(&self->schedule, value);
  interlock_schedule_add(&self->picks, value);
  self->picked = mix(self->picked, value + 1);
  return value;
}

static uint32_t pick(interlock_strategy *strategy, uint32_t count) {
  return pick_useful(strategy, count, UINT64_MAX);
}

static bool orders(const interlock_strategy *strategy, size_t step) {
  const interlock_strategy *inner = ((const interlock_recorder *)strategy)->inner;
  return !inner->orders || inner->orders(inner, step);
}

// The hash of a step includes the hashes of the steps on which it depends, and no number that
// differs between equivalent executions.
static void add_to_trace(interlock_recorder *self, uint32_t thread,
                         const interlock_operation *operations, size_t count) {
  if (!interlock_reserve((void **)&self->records, &self->record_capacity, self->record_count + 1,
                         sizeof *self->records)) {
    return;
  }
  interlock_step_record *record =
      interlock_step_record_create(NULL, operations, count, interlock_all_objects_known);
  if (!record) return;
  uint64_t before = mix(self->threads[thread].last, self->picked), hash;
  for (size_t i = 0; i < self->record_count; i++) {
    if (interlock_steps_depend(self->records[i].record, record)) {
      before += mix(self->records[i].hash, 3);
    }
  }
  hash = mix(self->threads[thread].identity, before);
  for (size_t i = 0; i < count; i++) hash = mix(hash, operations[i].kind);
  self->records[self->record_count++] = (interlock_recorded_step){record, hash};
  self->threads[thread].last = hash;
  self->trace += hash;
}

static void performed(interlock_strategy *strategy, uint32_t thread,
                      const interlock_operation *operations, size_t count) {
  interlock_recorder *self = (interlock_recorder *)strategy;
  self->order = mix(self->order, thread + 1);
  for (size_t i = 0; i < count; i++) {
    self->order = mix(self->order, operations[i].kind | (uint64_t)operations[i].flags << 16 |
                                       (uint64_t)operations[i].object << 32);
  }
  if (self->hashes_traces) add_to_trace(self, thread, operations, count);
  self->picked = 0;
  if (interlock_reserve((void **)&self->steps, &self->step_capacity, self->step_count + 1,
                        sizeof *self->steps)) {
    self->steps[self->step_count++] = thread;
  }
  self->inner->performed(self->inner, thread, operations, count);
}

static void end(interlock_strategy *strategy, interlock_execution_end end,
                const interlock_exploration_state *last) {
  interlock_recorder *self = (interlock_recorder *)strategy;
  self->inner->end(self->inner, end, last);
}

static bool is_complete(const interlock_strategy *strategy) {
  const interlock_recorder *self = (const interlock_recorder *)strategy;
  return self->inner->is_complete(self->inner);
}

static void destroy(interlock_strategy *strategy) {
  interlock_recorder *self = (interlock_recorder *)strategy;
  for (size_t i = 0; i < self->record_count; i++) {
    interlock_step_record_release(self->records[i].record);
  }
  self->inner->destroy(self->inner);
  interlock_schedule_destroy(&self->schedule);
  interlock_schedule_destroy(&self->picks);
  free(self->steps);
  free(self->threads);
  free(self->records);
  free(self);
}

interlock_recording interlock_recorder_get(const interlock_strategy *strategy) {
  const interlock_recorder *self = (const interlock_recorder *)strategy;
  return (interlock_recording){.schedule = &self->schedule,
                               .order = self->order,
                               .trace = self->trace,
                               .steps = self->steps,
                               .step_count = self->step_count,
                               .picks = self->picks.choices,
                               .pick_count = self->picks.count,
                               .switches = self->switches,
                               .preemptions = self->preemptions};
}

interlock_strategy *interlock_recorder_create(interlock_strategy *inner, bool hashes_traces) {
  interlock_recorder *self = inner ? calloc(1, sizeof *self) : NULL;
  if (!self) {
    if (inner) inner->destroy(inner);
    return NULL;
  }
  self->inner = inner;
  self->hashes_traces = hashes_traces;
  self->strategy = (interlock_strategy){.name = inner->name, .begin = begin, .choose = choose,
                                        .pick = pick, .pick_useful = pick_useful,
                                        .orders = orders, .performed = performed, .end = end,
                                        .is_complete = is_complete, .destroy = destroy};
  return &self->strategy;
}
