// POS: every pending operation has a random priority, and the highest runs. The operations that
// race with it draw new priorities, so that either of two racing operations is as likely to come
// first.
//
// Source: Yuan, Yang, Gu, "Partial Order Aware Concurrency Sampling", CAV 2018.

#include "../../Dependency/dependency.h"
#include "sampling.h"

typedef struct {
  interlock_strategy strategy;
  interlock_random random;
  /// The priorities by thread; 0 for none yet.
  uint64_t *priorities;
  interlock_operation *pending;
  size_t capacity, pending_capacity;
  uint32_t threads;
} pos;

static bool begin(interlock_strategy *strategy) {
  pos *self = (pos *)strategy;
  memset(self->priorities, 0, self->capacity * sizeof *self->priorities);
  self->threads = 0;
  return true;
}

static int32_t choose(interlock_strategy *strategy, const interlock_exploration_state *state) {
  pos *self = (pos *)strategy;
  if (!interlock_reserve((void **)&self->priorities, &self->capacity, state->threads,
                         sizeof *self->priorities) ||
      !interlock_reserve((void **)&self->pending, &self->pending_capacity, state->threads,
                         sizeof *self->pending)) {
    return (int32_t)state->enabled[0];
  }
  self->threads = state->threads;
  memcpy(self->pending, state->pending, state->threads * sizeof *self->pending);
  uint32_t best = state->enabled[0];
  for (uint32_t i = 0; i < state->enabled_count; i++) {
    uint32_t thread = state->enabled[i];
    if (!self->priorities[thread]) {
      self->priorities[thread] = interlock_random_next(&self->random) | 1;
    }
    if (self->priorities[thread] > self->priorities[best]) best = thread;
  }
  return (int32_t)best;
}

static uint32_t pick(interlock_strategy *strategy, uint32_t count) {
  return count > 1 ? interlock_random_below(&((pos *)strategy)->random, count) : 0;
}

static void performed(interlock_strategy *strategy, uint32_t thread,
                      const interlock_operation *operations, size_t count) {
  pos *self = (pos *)strategy;
  for (uint32_t other = 0; other < self->threads; other++) {
    bool draws_anew = other == thread;
    for (size_t i = 0; i < count && !draws_anew && self->pending[other].kind; i++) {
      draws_anew = interlock_operations_depend(&self->pending[other], &operations[i]);
    }
    if (draws_anew) self->priorities[other] = 0;
  }
}

static void destroy(interlock_strategy *strategy) {
  free(((pos *)strategy)->priorities);
  free(((pos *)strategy)->pending);
  free(strategy);
}

interlock_strategy *interlock_pos_create(uint64_t seed) {
  pos *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->random.state = seed;
  self->strategy = (interlock_strategy){.name = "pos", .begin = begin, .choose = choose,
                                        .pick = pick, .performed = performed,
                                        .end = interlock_ignore_end,
                                        .is_complete = interlock_never_complete,
                                        .destroy = destroy};
  return &self->strategy;
}
