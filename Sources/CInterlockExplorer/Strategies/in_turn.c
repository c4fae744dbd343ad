// One order, as on one processor without preemption: a thread or task runs until it waits or
// yields. Then the thread runs that has been enabled for the longest time.

#include "Random/sampling.h"

typedef struct {
  interlock_strategy strategy;
  /// The place of each thread in the queue; 0 for a thread that is not enabled.
  uint64_t *places;
  size_t capacity;
  uint64_t last_place;
} in_turn;

static bool begin(interlock_strategy *strategy) {
  in_turn *self = (in_turn *)strategy;
  if (self->places) memset(self->places, 0, self->capacity * sizeof *self->places);
  self->last_place = 0;
  return true;
}

static int32_t choose(interlock_strategy *strategy, const interlock_exploration_state *state) {
  in_turn *self = (in_turn *)strategy;
  uint32_t first = state->enabled[0];
  size_t size = sizeof *self->places;
  if (!interlock_reserve((void **)&self->places, &self->capacity, state->threads, size)) {
    return (int32_t)first;
  }
  for (uint32_t thread = 0, next = 0; thread < state->threads; thread++) {
    bool is_enabled = next < state->enabled_count && state->enabled[next] == thread;
    next += is_enabled;
    uint64_t *place = &self->places[thread];
    if (!is_enabled) *place = 0;
    if (is_enabled && !*place) *place = ++self->last_place;
  }
  if (state->current >= 0 && self->places[state->current]) {
    bool yields = state->pending[state->current].kind == INTERLOCK_OPERATION_YIELD;
    if (!yields) return state->current;
    self->places[state->current] = ++self->last_place;
  }
  for (uint32_t index = 1; index < state->enabled_count; index++) {
    uint32_t thread = state->enabled[index];
    if (self->places[thread] < self->places[first]) first = thread;
  }
  return (int32_t)first;
}

static uint32_t pick(interlock_strategy *strategy, uint32_t count) {
  return (void)strategy, (void)count, 0;
}

static void end(interlock_strategy *strategy, interlock_execution_end end,
                const interlock_exploration_state *last) {
  (void)strategy, (void)end, (void)last;
}

static void destroy(interlock_strategy *strategy) {
  free(((in_turn *)strategy)->places);
  free(strategy);
}

interlock_strategy *interlock_in_turn_create(void) {
  in_turn *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->strategy = (interlock_strategy){.name = "in turn", .begin = begin, .choose = choose,
                                        .pick = pick, .performed = interlock_ignore_step,
                                        .end = end, .is_complete = interlock_never_complete,
                                        .destroy = destroy};
  return &self->strategy;
}
