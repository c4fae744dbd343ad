// A random walk, and a list of choices: enough to run the engine by itself.
#include "../include/interlock_explorer.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  interlock_strategy strategy;
  uint64_t state;
  uint32_t *choices;
  size_t count, next;
  bool has_run;
} simple;

static bool always_more(interlock_strategy *self) {
  (void)self;
  return true;
}
static void ignore_step(interlock_strategy *self, uint32_t thread,
                        const interlock_operation *operations, size_t count) {
  (void)self, (void)thread, (void)operations, (void)count;
}
static void ignore_end(interlock_strategy *self, interlock_execution_end end,
                       const interlock_exploration_state *last) {
  (void)self, (void)end, (void)last;
}
static bool never_complete(const interlock_strategy *self) {
  (void)self;
  return false;
}
static void destroy(interlock_strategy *self) {
  free(((simple *)self)->choices);
  free(self);
}

/// xorshift64* (Vigna 2016), of which the high half is used, scaled to the range.
static uint32_t below(simple *self, uint32_t count) {
  self->state ^= self->state >> 12;
  self->state ^= self->state << 25;
  self->state ^= self->state >> 27;
  return (uint32_t)(((self->state * 0x2545f4914f6cdd1d >> 32) * count) >> 32);
}

static int32_t choose_at_random(interlock_strategy *self,
                                const interlock_exploration_state *state) {
  if (state->enabled_count == 1) return (int32_t)state->enabled[0];
  return (int32_t)state->enabled[below((simple *)self, state->enabled_count)];
}
static uint32_t pick_at_random(interlock_strategy *self, uint32_t count) {
  return below((simple *)self, count);
}

static bool is_first(interlock_strategy *self) {
  simple *own = (simple *)self;
  bool is_first = !own->has_run;
  own->has_run = true;
  return is_first;
}
static int32_t choose_next(interlock_strategy *self, const interlock_exploration_state *state) {
  simple *own = (simple *)self;
  if (state->enabled_count == 1) return (int32_t)state->enabled[0];
  if (own->next < own->count) return (int32_t)own->choices[own->next++];
  for (uint32_t index = 0; index < state->enabled_count; index++) {
    if ((int32_t)state->enabled[index] == state->current) return state->current;
  }
  return (int32_t)state->enabled[0];
}
static uint32_t pick_next(interlock_strategy *self, uint32_t count) {
  simple *own = (simple *)self;
  if (own->next == own->count) return 0;
  uint32_t picked = own->choices[own->next++];
  return picked < count ? picked : 0;
}

interlock_strategy *interlock_random_strategy(uint64_t seed) {
  simple *made = calloc(1, sizeof *made);
  if (!made) return NULL;
  made->strategy = (interlock_strategy){"random", always_more, choose_at_random, pick_at_random,
                                        ignore_step, ignore_end, never_complete, destroy};
  // A state of 0 would stay 0; seeds that differ by 1 begin far apart.
  made->state = (seed + 1) * 0x9e3779b97f4a7c15 | 1;
  return &made->strategy;
}

interlock_strategy *interlock_list_strategy(const uint32_t *choices, size_t count) {
  simple *made = calloc(1, sizeof *made);
  if (!made) return NULL;
  made->choices = malloc(count ? count * sizeof *choices : 1);
  if (!made->choices) {
    free(made);
    return NULL;
  }
  if (count) memcpy(made->choices, choices, count * sizeof *choices);
  made->count = count;
  made->strategy = (interlock_strategy){"list", is_first, choose_next, pick_next,
                                        ignore_step, ignore_end, never_complete, destroy};
  return &made->strategy;
}
