// Depth-first search over every choice, with a bound on preemptions.
//
// Source of the bound: Musuvathi and Qadeer, "Iterative Context Bounding for Systematic Testing of
// Multithreaded Programs", PLDI 2007.

#include "interlock_strategies.h"

#include <stdlib.h>

typedef struct {
  /// The index of the chosen thread among the enabled ones, counted from the current thread on; and
  /// their number.
  uint32_t index, count;
} choice;

typedef struct {
  interlock_strategy strategy;
  uint32_t preemption_bound;
  choice *choices;
  size_t count, capacity, depth;
  uint32_t preemptions;
  bool started, finished, is_bounded, is_limited, has_failed_to_repeat;
} dfs;

static bool begin(interlock_strategy *strategy) {
  dfs *self = (dfs *)strategy;
  if (self->finished) return false;
  self->started = true;
  self->depth = 0;
  self->preemptions = 0;
  return true;
}

static uint32_t next(dfs *self, uint32_t count) {
  if (count <= 1) return 0;
  if (self->depth == self->count) {
    if (self->count == self->capacity) {
      size_t capacity = self->capacity ? self->capacity * 2 : 256;
      choice *choices = realloc(self->choices, sizeof *choices * capacity);
      if (!choices) {
        self->is_limited = true;
        return 0;
      }
      self->choices = choices;
      self->capacity = capacity;
    }
    self->choices[self->count++] = (choice){0, count};
  }
  choice *c = &self->choices[self->depth++];
  if (c->count != count) self->has_failed_to_repeat = true;
  return c->index < count ? c->index : 0;
}

static int32_t choose(interlock_strategy *strategy, const interlock_exploration_state *state) {
  dfs *self = (dfs *)strategy;
  // Order the current thread first, so that the first execution has the fewest switches.
  uint32_t first = 0;
  bool can_continue = false;
  for (uint32_t i = 0; i < state->enabled_count && !can_continue; i++) {
    can_continue = (int32_t)state->enabled[i] == state->current;
    if (can_continue) first = i;
  }
  uint32_t count = state->enabled_count;
  if (can_continue && self->preemptions >= self->preemption_bound) {
    self->is_bounded |= count > 1;
    count = 1;
  }
  uint32_t index = next(self, count);
  self->preemptions += can_continue && index > 0;
  if (index == 0) return (int32_t)state->enabled[first];
  return (int32_t)state->enabled[index <= first ? index - 1 : index];
}

static uint32_t pick(interlock_strategy *strategy, uint32_t count) {
  return next((dfs *)strategy, count);
}

static void performed(interlock_strategy *strategy, uint32_t thread,
                      const interlock_operation *operations, size_t count) {
  (void)strategy, (void)thread, (void)operations, (void)count;
}

static void end(interlock_strategy *strategy, interlock_execution_end end,
                const interlock_exploration_state *last) {
  (void)last;
  dfs *self = (dfs *)strategy;
  self->is_limited |= end == INTERLOCK_EXECUTION_LIMITED;
  if (self->depth < self->count) self->has_failed_to_repeat = true;
  while (self->count > 0) {
    choice *c = &self->choices[self->count - 1];
    if (++c->index < c->count) return;
    self->count--;
  }
  self->finished = true;
}

static bool is_complete(const interlock_strategy *strategy) {
  return interlock_dfs_has_run_out(strategy) && !((const dfs *)strategy)->is_bounded;
}

bool interlock_dfs_has_run_out(const interlock_strategy *strategy) {
  const dfs *self = (const dfs *)strategy;
  return self->started && self->finished && !self->is_limited && !self->has_failed_to_repeat;
}

static void destroy(interlock_strategy *strategy) {
  dfs *self = (dfs *)strategy;
  free(self->choices);
  free(self);
}

interlock_strategy *interlock_dfs_create(uint32_t preemption_bound) {
  dfs *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->preemption_bound = preemption_bound;
  self->strategy = (interlock_strategy){.name = "dfs", .begin = begin, .choose = choose,
                                        .pick = pick, .performed = performed, .end = end,
                                        .is_complete = is_complete, .destroy = destroy};
  return &self->strategy;
}
