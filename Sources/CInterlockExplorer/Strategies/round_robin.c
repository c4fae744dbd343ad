// Round robin: each thread takes a number of steps in its turn; that number grows from 1 with every
// execution, until it is as long as the longest execution.

#include "Random/sampling.h"

typedef struct {
  interlock_strategy strategy;
  uint32_t quantum, left;
  uint32_t steps, longest;
} round_robin;

static bool begin(interlock_strategy *strategy) {
  round_robin *self = (round_robin *)strategy;
  if (self->quantum > 0 && self->quantum >= self->longest) return false;
  self->left = ++self->quantum;
  self->steps = 0;
  return true;
}

static int32_t choose(interlock_strategy *strategy, const interlock_exploration_state *state) {
  round_robin *self = (round_robin *)strategy;
  self->steps++;
  uint32_t next = state->enabled[0];
  for (uint32_t i = state->enabled_count; i-- > 0;) {
    if ((int32_t)state->enabled[i] == state->current && self->left > 0) {
      self->left--;
      return state->current;
    }
    if ((int32_t)state->enabled[i] > state->current) next = state->enabled[i];
  }
  self->left = self->quantum - 1;
  return (int32_t)next;
}

static uint32_t pick(interlock_strategy *strategy, uint32_t count) {
  return (((round_robin *)strategy)->quantum - 1) % count;
}

static void end(interlock_strategy *strategy, interlock_execution_end end,
                const interlock_exploration_state *last) {
  (void)end, (void)last;
  round_robin *self = (round_robin *)strategy;
  if (self->steps > self->longest) self->longest = self->steps;
}

static void destroy(interlock_strategy *strategy) { free(strategy); }

interlock_strategy *interlock_round_robin_create(void) {
  round_robin *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->strategy = (interlock_strategy){.name = "round-robin", .begin = begin, .choose = choose,
                                        .pick = pick, .performed = interlock_ignore_step,
                                        .end = end, .is_complete = interlock_never_complete,
                                        .destroy = destroy};
  return &self->strategy;
}
