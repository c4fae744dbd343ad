// PCT: the enabled thread with the highest priority runs. At d - 1 random steps, the priority of
// the thread that would run falls below all others. Finds a bug of depth d in n threads and k steps
// with a probability of at least 1 / (n * k^(d-1)).
//
// Source: Burckhardt, Kothari, Musuvathi, Nagarakatte, "A Randomized Scheduler with Probabilistic
// Guarantees of Finding Bugs", ASPLOS 2010.

#include "sampling.h"

enum { MAX_DEPTH = 32, FIRST_GUESS = 32 };

typedef struct {
  interlock_strategy strategy;
  interlock_random random;
  uint32_t depth;
  /// The priorities by thread; 0 for none yet. A priority that has not fallen is above `MAX_DEPTH`.
  uint64_t *priorities;
  size_t capacity;
  /// The number of steps with a choice, in this execution and in the longest one. Other steps
  /// cannot hide a bug.
  uint32_t steps, longest;
  uint32_t change_points[MAX_DEPTH];
} pct;

static bool begin(interlock_strategy *strategy) {
  pct *self = (pct *)strategy;
  memset(self->priorities, 0, self->capacity * sizeof *self->priorities);
  uint32_t longest = self->longest ? self->longest : FIRST_GUESS;
  for (uint32_t i = 0; i + 1 < self->depth; i++) {
    self->change_points[i] = 1 + interlock_random_below(&self->random, longest);
  }
  self->steps = 0;
  return true;
}

static uint32_t highest(pct *self, const interlock_exploration_state *state) {
  uint32_t best = state->enabled[0];
  for (uint32_t i = 0; i < state->enabled_count; i++) {
    uint32_t thread = state->enabled[i];
    if (!self->priorities[thread]) {
      self->priorities[thread] = (interlock_random_next(&self->random) >> 8) + MAX_DEPTH + 1;
    }
    if (self->priorities[thread] > self->priorities[best]) best = thread;
  }
  return best;
}

static int32_t choose(interlock_strategy *strategy, const interlock_exploration_state *state) {
  pct *self = (pct *)strategy;
  if (state->enabled_count == 1) return (int32_t)state->enabled[0];
  if (!interlock_reserve((void **)&self->priorities, &self->capacity, state->threads,
                         sizeof *self->priorities)) {
    return (int32_t)state->enabled[0];
  }
  self->steps++;
  for (uint32_t i = 0; i + 1 < self->depth; i++) {
    // Each change point gives a different priority, below every priority that has not fallen.
    if (self->change_points[i] == self->steps) self->priorities[highest(self, state)] = i + 1;
  }
  return (int32_t)highest(self, state);
}

static uint32_t pick(interlock_strategy *strategy, uint32_t count) {
  return count > 1 ? interlock_random_below(&((pct *)strategy)->random, count) : 0;
}

static void end(interlock_strategy *strategy, interlock_execution_end end,
                const interlock_exploration_state *last) {
  (void)end, (void)last;
  pct *self = (pct *)strategy;
  if (self->steps > self->longest) self->longest = self->steps;
}

static void destroy(interlock_strategy *strategy) {
  free(((pct *)strategy)->priorities);
  free(strategy);
}

interlock_strategy *interlock_pct_create(uint64_t seed, uint32_t depth) {
  if (depth == 0 || depth > MAX_DEPTH) return NULL;
  pct *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->random.state = seed;
  self->depth = depth;
  self->strategy = (interlock_strategy){.name = "pct", .begin = begin, .choose = choose,
                                        .pick = pick, .performed = interlock_ignore_step,
                                        .end = end, .is_complete = interlock_never_complete,
                                        .destroy = destroy};
  return &self->strategy;
}
