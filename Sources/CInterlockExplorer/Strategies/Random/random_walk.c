// A random walk: at every step, every enabled thread is equally likely.

#include "sampling.h"

typedef struct {
  interlock_strategy strategy;
  interlock_random random;
} random_walk;

static int32_t choose(interlock_strategy *strategy, const interlock_exploration_state *state) {
  random_walk *self = (random_walk *)strategy;
  if (state->enabled_count == 1) return (int32_t)state->enabled[0];
  return (int32_t)state->enabled[interlock_random_below(&self->random, state->enabled_count)];
}

static uint32_t pick(interlock_strategy *strategy, uint32_t count) {
  return count > 1 ? interlock_random_below(&((random_walk *)strategy)->random, count) : 0;
}

static void destroy(interlock_strategy *strategy) { free(strategy); }

interlock_strategy *interlock_random_walk_create(uint64_t seed) {
  random_walk *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->random.state = seed;
  self->strategy = (interlock_strategy){.name = "random", .begin = interlock_begin_always,
                                        .choose = choose, .pick = pick,
                                        .performed = interlock_ignore_step,
                                        .end = interlock_ignore_end,
                                        .is_complete = interlock_never_complete,
                                        .destroy = destroy};
  return &self->strategy;
}
