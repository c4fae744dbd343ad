// The default: optimal DPOR within a budget; where that does not end in time, sampling by a random
// walk, PCT, POS and SURW in turn.

#include "sampling.h"

enum { SAMPLERS = 4, PCT_DEPTH = 3 };

typedef struct {
  interlock_strategy strategy;
  interlock_strategy *dpor, *samplers[SAMPLERS];
  uint64_t budget, executions, samples;
  bool is_sampling;
} portfolio;

static interlock_strategy *active(const portfolio *self) {
  return self->is_sampling ? self->samplers[self->samples % SAMPLERS] : self->dpor;
}

static bool begin(interlock_strategy *strategy) {
  portfolio *self = (portfolio *)strategy;
  if (!self->is_sampling) {
    self->is_sampling = self->executions >= self->budget;
    if (!self->is_sampling && self->dpor->begin(self->dpor)) return true;
    // DPOR has ended: either every order has been run, or it cannot go on.
    if (!self->is_sampling && self->dpor->is_complete(self->dpor)) return false;
    self->is_sampling = true;
  }
  return active(self)->begin(active(self));
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
  self->executions++;
  self->samples += self->is_sampling;
}

static bool is_complete(const interlock_strategy *strategy) {
  const portfolio *self = (const portfolio *)strategy;
  return !self->is_sampling && self->dpor->is_complete(self->dpor);
}

interlock_portfolio_state interlock_portfolio_get_state(const interlock_strategy *strategy) {
  const portfolio *self = (const portfolio *)strategy;
  interlock_dpor_statistics dpor = interlock_dpor_get_statistics(self->dpor);
  const char *reason = dpor.incomplete;
  if (self->is_sampling && !reason) reason = "the budget for every order was used up";
  return (interlock_portfolio_state){.strategy = active(self)->name,
                                     .is_sampling = self->is_sampling,
                                     .samples = self->samples,
                                     .ordered = dpor.executions,
                                     .reason = reason};
}

void interlock_portfolio_change_over(interlock_strategy *strategy) {
  ((portfolio *)strategy)->budget = 0;
}

static void destroy(interlock_strategy *strategy) {
  portfolio *self = (portfolio *)strategy;
  if (self->dpor) self->dpor->destroy(self->dpor);
  for (int i = 0; i < SAMPLERS; i++) {
    if (self->samplers[i]) self->samplers[i]->destroy(self->samplers[i]);
  }
  free(self);
}

interlock_strategy *interlock_portfolio_create(uint64_t seed, uint64_t budget,
                                               interlock_dpor_options options) {
  portfolio *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->budget = budget;
  self->dpor = interlock_dpor_create(options);
  self->samplers[0] = interlock_random_walk_create(seed);
  self->samplers[1] = interlock_pct_create(seed + 1, PCT_DEPTH);
  self->samplers[2] = interlock_pos_create(seed + 2);
  self->samplers[3] = interlock_surw_create(seed + 3);
  self->strategy = (interlock_strategy){.name = "portfolio", .begin = begin, .choose = choose,
                                        .pick = pick, .performed = performed, .end = end,
                                        .is_complete = is_complete, .destroy = destroy};
  bool has_all = self->dpor;
  for (int i = 0; i < SAMPLERS; i++) has_all &= self->samplers[i] != NULL;
  if (has_all) return &self->strategy;
  destroy(&self->strategy);
  return NULL;
}
