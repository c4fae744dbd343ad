// A random walk, PCT, POS and SURW in turn, for programs in which not every order can be run: each
// finds bugs that the others seldom reach.

#include "sampling.h"

enum { SAMPLERS = 4, PCT_DEPTH = 3 };

typedef struct {
  interlock_strategy strategy;
  interlock_strategy *samplers[SAMPLERS];
  uint64_t samples;
} portfolio;

static interlock_strategy *active(const portfolio *self) {
  return self->samplers[self->samples % SAMPLERS];
}

static bool begin(interlock_strategy *strategy) {
  interlock_strategy *inner = active((portfolio *)strategy);
  return inner->begin(inner);
}

static int32_t choose(interlock_strategy *strategy, const interlock_exploration_state *state) {
  interlock_strategy *inner = active((portfolio *)strategy);
  return inner->choose(inner, state);
}

static uint32_t pick(interlock_strategy *strategy, uint32_t count) {
  interlock_strategy *inner = active((portfolio *)strategy);
  return inner->pick(inner, count);
}

static void performed(interlock_strategy *strategy, uint32_t thread,
                      const interlock_operation *operations, size_t count) {
  interlock_strategy *inner = active((portfolio *)strategy);
  inner->performed(inner, thread, operations, count);
}

static void end(interlock_strategy *strategy, interlock_execution_end end,
                const interlock_exploration_state *last) {
  portfolio *self = (portfolio *)strategy;
  interlock_strategy *inner = active(self);
  inner->end(inner, end, last);
  self->samples++;
}

static void destroy(interlock_strategy *strategy) {
  portfolio *self = (portfolio *)strategy;
  for (int i = 0; i < SAMPLERS; i++) {
    if (self->samplers[i]) self->samplers[i]->destroy(self->samplers[i]);
  }
  free(self);
}

interlock_strategy *interlock_portfolio_create(uint64_t seed) {
  portfolio *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->samplers[0] = interlock_random_walk_create(seed);
  self->samplers[1] = interlock_pct_create(seed + 1, PCT_DEPTH);
  self->samplers[2] = interlock_pos_create(seed + 2);
  self->samplers[3] = interlock_surw_create(seed + 3);
  self->strategy = (interlock_strategy){.name = "portfolio", .begin = begin, .choose = choose,
                                        .pick = pick, .performed = performed, .end = end,
                                        .is_complete = interlock_never_complete,
                                        .destroy = destroy};
  bool has_all = true;
  for (int i = 0; i < SAMPLERS; i++) has_all &= self->samplers[i] != NULL;
  if (has_all) return &self->strategy;
  destroy(&self->strategy);
  return NULL;
}
