// Replay: one execution with the choices of a schedule. After the last choice the current thread
// continues.

#include "Random/sampling.h"

typedef struct {
  interlock_strategy strategy;
  uint32_t *choices;
  size_t count, next;
  bool has_begun, has_diverged;
  size_t impossible;
} replay;

static bool begin(interlock_strategy *strategy) {
  replay *self = (replay *)strategy;
  bool is_first = !self->has_begun;
  self->has_begun = true;
  return is_first;
}

static bool is_enabled(const interlock_exploration_state *state, uint32_t thread) {
  for (uint32_t i = 0; i < state->enabled_count; i++) {
    if (state->enabled[i] == thread) return true;
  }
  return false;
}

static int32_t choose(interlock_strategy *strategy, const interlock_exploration_state *state) {
  replay *self = (replay *)strategy;
  if (state->enabled_count == 1) return (int32_t)state->enabled[0];
  if (self->next < self->count) {
    uint32_t thread = self->choices[self->next++];
    if (is_enabled(state, thread)) return (int32_t)thread;
    if (!self->impossible) self->impossible = self->next;
    self->has_diverged = true;
  }
  if (state->current >= 0 && is_enabled(state, (uint32_t)state->current)) return state->current;
  return (int32_t)state->enabled[0];
}

static uint32_t pick(interlock_strategy *strategy, uint32_t count) {
  replay *self = (replay *)strategy;
  if (count <= 1 || self->next >= self->count) return 0;
  uint32_t value = self->choices[self->next++];
  if (value >= count) self->has_diverged = true;
  return value < count ? value : 0;
}

static void end(interlock_strategy *strategy, interlock_execution_end end,
                const interlock_exploration_state *last) {
  (void)last;
  replay *self = (replay *)strategy;
  // After the limit of steps the engine chooses by its fair schedule, so leftover choices are no
  // divergence.
  if (end != INTERLOCK_EXECUTION_LIMITED && self->next < self->count) self->has_diverged = true;
}

bool interlock_replay_has_diverged(const interlock_strategy *strategy) {
  return ((const replay *)strategy)->has_diverged;
}

size_t interlock_replay_first_impossible(const interlock_strategy *strategy, uint32_t *thread) {
  const replay *self = (const replay *)strategy;
  if (self->impossible) *thread = self->choices[self->impossible - 1];
  return self->impossible;
}

static void destroy(interlock_strategy *strategy) {
  free(((replay *)strategy)->choices);
  free(strategy);
}

interlock_strategy *interlock_replay_create(const uint32_t *choices, size_t count) {
  replay *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->choices = malloc(count ? count * sizeof *choices : 1);
  if (!self->choices) {
    free(self);
    return NULL;
  }
  if (count) memcpy(self->choices, choices, count * sizeof *choices);
  self->count = count;
  self->strategy = (interlock_strategy){.name = "replay", .begin = begin, .choose = choose,
                                        .pick = pick, .performed = interlock_ignore_step,
                                        .end = end, .is_complete = interlock_never_complete,
                                        .destroy = destroy};
  return &self->strategy;
}
